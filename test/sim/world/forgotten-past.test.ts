import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { answerRequest } from '../../../src/sim/world/answer-request.ts'
import { isWatch } from '../../../src/sim/world/api-request.ts'
import { NAMESPACES, NODES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import type { ObjectList } from '../../../src/sim/world/list-objects.ts'
import { Store } from '../../../src/sim/world/store.ts'
import type { WatchEvent } from '../../../src/sim/world/watch-objects.ts'
import type { World } from '../../../src/sim/world/world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'

// What a real API server forgets only after five minutes; test/contract has what can be seen of both at once.

const PATH = '/api/v1/namespaces'

function namespaces(...names: readonly string[]): World {
  const world = { store: new Store(), clock: systemClock, random: new SeededRandom(1) }
  for (const name of names) createObject(world, { resource: NAMESPACES, body: { metadata: { name } } })
  return world
}

const get = (world: World, query: string) =>
  answerRequest(world, { method: 'GET', path: PATH, query: new URLSearchParams(query) })

test('a watch from a past that is forgotten says 410 as its only event', () => {
  const world = namespaces('a', 'b', 'c')
  world.store.compact(world.store.revision)
  const reply = get(world, 'watch=1&resourceVersion=2')
  assert.ok(isWatch(reply))
  const events: WatchEvent[] = []
  reply.open((event) => void events.push(event))
  createObject(world, { resource: NAMESPACES, body: { metadata: { name: 'd' } } })
  assert.deepEqual(
    events.map(({ type, object }) => [type, (object as { readonly code: number }).code]),
    [['ERROR', 410]],
  )
})

test('the next page of a list whose moment is forgotten is gone', () => {
  const world = namespaces('a', 'b', 'c')
  const first = get(world, 'limit=1')
  assert.ok(!isWatch(first))
  const token = (first.body as ObjectList).metadata.continue ?? assert.fail('one page alone')
  createObject(world, { resource: NAMESPACES, body: { metadata: { name: 'd' } } })
  world.store.compact(world.store.revision)
  const next = get(world, `limit=1&continue=${token}`)
  assert.ok(!isWatch(next))
  assert.deepEqual([next.code, (next.body as { readonly reason: string }).reason], [410, 'Expired'])
})

test('a list that is to be newer than everything is refused for now', () => {
  const world = namespaces('a')
  const reply = get(world, `resourceVersion=${world.store.revision + 1}`)
  assert.ok(!isWatch(reply))
  assert.deepEqual([reply.code, reply.retryAfterSeconds], [504, 1])
})

test('a bookmark says how far the watch has come', () => {
  const world = namespaces('a')
  const reply = get(world, `watch=1&allowWatchBookmarks=true&resourceVersion=${world.store.revision}`)
  assert.ok(isWatch(reply) && reply.bookmarks)
  createObject(world, { resource: NAMESPACES, body: { metadata: { name: 'b' } } })
  const { type, object } = reply.bookmark()
  assert.equal(type, 'BOOKMARK')
  assert.deepEqual(object, {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { resourceVersion: String(world.store.revision), creationTimestamp: null },
  })
})

test('a cluster forgets after five minutes at the earliest and ten at the latest', async () => {
  const cluster = new VirtualCluster(
    {
      seed: '1',
      startAt: wallMs(Date.UTC(2026, 0, 1)),
      nodes: 1,
      darkMs: 500,
      manifests: [],
      balancer: { fronts: [], check: { interMs: 2_000, fall: 3, rise: 2 } },
    },
    turnsOfLoop,
  )
  const { store } = cluster.world
  await cluster.time.advance(10_000)
  const { revision } = store
  const isKnown = (): boolean => store.changesAfter(NODES, revision) !== undefined
  await cluster.time.advance(5 * 60_000)
  assert.equal(isKnown(), true)
  await cluster.time.advance(5 * 60_000)
  assert.equal(isKnown(), false)
  cluster.end()
})
