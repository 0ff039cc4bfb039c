import assert from 'node:assert/strict'
import { Attacher } from '../support/roll-ground/attacher.ts'
import type { RollGround } from '../support/roll-ground/roll-ground.ts'

/** Pods with volumes are gone and their volumes detached before any other pod is evicted: from the API server's own record. */
export async function volumesFirst(ground: RollGround): Promise<void> {
  const attacher = await Attacher.start(ground)
  const node = await attacher.nodeWithVolume()
  const before = (await ground.requests()).length
  const roll = await ground.roll({ nodes: { names: [node] } })
  const { code, story } = await roll.ended()
  await attacher.stop()
  assert.equal(code, 0, story)

  const requests = (await ground.requests()).slice(before)
  const evictions = requests.filter((request) => request.subresource === 'eviction' && request.code === 201)
  const first = evictions.filter(({ name }) => name?.startsWith('db-'))
  const others = evictions.filter(({ name }) => name?.startsWith('db-') === false)
  const detached = requests.filter(({ verb, resource }) => verb === 'delete' && resource === 'volumeattachments')
  assert.ok(first.length > 0 && others.length > 0 && detached.length > 0, 'both stages had something to do')
  const lastOfFirst = Math.max(...[...first, ...detached].map(({ atMs }) => atMs))
  const firstOfOthers = Math.min(...others.map(({ atMs }) => atMs))
  assert.ok(
    lastOfFirst < firstOfOthers,
    `${new Date(lastOfFirst).toISOString()} < ${new Date(firstOfOthers).toISOString()}`,
  )
}
