import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { isVoid } from '../roll-bed/judge.ts'
import type { RollBed } from '../roll-bed/roll-bed.ts'
import type { RollEnded, RollProcess } from '../roll-bed/roll-process.ts'

/** What was said of each node at the end is so: whether it is ours still, cordoned, out of its balancers. */
async function toldAsItIs(bed: RollBed, ended: RollEnded): Promise<void> {
  const results = ended.standings.map(({ node, state, cordoned, detached }) => {
    return { node, out: state === 'out', cordoned, detached }
  })
  const [nodes, servers] = [await bed.nodeObjects(), await bed.servers()]
  const so = results.map(({ node }) => {
    const found = nodes.find(({ metadata }) => metadata.name === node)
    const own = servers.filter(({ name }) => name.endsWith(`/${node}`))
    return {
      node,
      out: found !== undefined && 'evenkeel.dev/record' in found.metadata.annotations,
      cordoned: found?.spec.unschedulable === true,
      detached: own.length > 0 && own.every(({ state }) => state !== 'ready'),
    }
  })
  assert.deepEqual(results, so)
}

export type Spec = Readonly<Record<string, unknown>>

/** What tests of bad luck have in common: a quick roll of one node, and a judge that must not notice it. */
export function luckGround(bed: () => RollBed) {
  /** One node, as quickly as a roll allows. */
  const fileFor = (node: string, spec: Spec = {}): string =>
    bed().file({ spec: { nodes: { names: [node] }, soak: '1s', baseline: { duration: '1s' }, drain: {}, ...spec } })

  /** Plan and checks are over; the first step comes with the end of the baseline, a second from here. */
  async function begun(file: string): Promise<RollProcess> {
    const roll = bed().roll('-f', file, '--yes')
    await roll.until('its beginning', ({ type }) => type === 'roll.started')
    return roll
  }

  /** Bad luck of a roll is none of its clients'. */
  async function unnoticed(t: TestContext, row: () => Promise<void>): Promise<void> {
    const judge = bed().judge()
    await row()
    const judged = await judge.verdict()
    if (isVoid(judged)) t.diagnostic(`the judge skipped ${judged.skippedRequests} of ${judged.sentRequests}`)
    assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  }

  /** As it ended, with what it told of its nodes compared to what is so. */
  async function ends(roll: RollProcess, code: number): Promise<RollEnded> {
    const { code: exitCode, stdout, stderr } = await roll.ended()
    assert.equal(exitCode, code, `${stderr}\n${stdout.slice(-4000)}`)
    const ended = await roll.untilEnd()
    await toldAsItIs(bed(), ended)
    return ended
  }

  return { fileFor, begun, unnoticed, ends }
}
