import assert from 'node:assert/strict'
import type { RollBed } from '../roll-bed/roll-bed.ts'
import type { RollEnded } from '../roll-bed/roll-process.ts'

/** What was said of each node at the end is so: whether it is ours still, cordoned, out of its balancers. */
export async function toldAsItIs(bed: RollBed, ended: RollEnded): Promise<void> {
  const told = ended.standings.map(({ node, state, cordoned, detached }) => {
    return { node, out: state === 'out', cordoned, detached }
  })
  const [nodes, servers] = [await bed.nodeObjects(), await bed.servers()]
  const so = told.map(({ node }) => {
    const found = nodes.find(({ metadata }) => metadata.name === node)
    const own = servers.filter(({ name }) => name.endsWith(`/${node}`))
    return {
      node,
      out: found !== undefined && 'evenkeel.dev/record' in found.metadata.annotations,
      cordoned: found?.spec.unschedulable === true,
      detached: own.length > 0 && own.every(({ state }) => state !== 'ready'),
    }
  })
  assert.deepEqual(told, so)
}
