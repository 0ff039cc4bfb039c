import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import { answerRequest } from '../../../src/sim/world/answer-request.ts'
import { isWatch } from '../../../src/sim/world/api-request.ts'
import { type ApiResource, NAMESPACES, NODES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { WatchCache } from '../../../src/sim/world/watch-cache.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'

const LAG_MS = new Map<ApiResource, number>([
  [NODES, 100],
  [NAMESPACES, 1_000],
])

/** Watches of nodes are late by 100 ms, those of namespaces by a second. */
function lateWorld() {
  const time = new VirtualTime({ startAt: wallMs(0), turns: turnsOfLoop })
  const store = new Store()
  const watches = new WatchCache({ store, timers: time, lagMsOf: (resource) => LAG_MS.get(resource) ?? 0 })
  const world = { store, clock: time, random: new SeededRandom('late'), watches }
  const seen: string[] = []
  const open = (kind: 'nodes' | 'namespaces', revision = store.revision) => {
    const query = new URLSearchParams({ watch: '1', resourceVersion: String(revision) })
    const reply = answerRequest(world, { method: 'GET', path: `/api/v1/${kind}`, query })
    assert.ok(isWatch(reply))
    reply.open(({ type, object }) => {
      const { metadata } = object as { readonly metadata?: { readonly name?: string } }
      seen.push(`${time.monoMs()} ${type} ${metadata?.name ?? ''}`)
    })
    return reply
  }
  const make = (resource: ApiResource, name: string) => createObject(world, { resource, body: { metadata: { name } } })
  return { time, store, watches, seen, open, make }
}

test('each kind is told by a lag of its own, and in the order of its commits', async () => {
  const { time, seen, open, make } = lateWorld()
  open('namespaces')
  open('nodes')
  make(NAMESPACES, 'a')
  make(NODES, 'n1')
  make(NAMESPACES, 'b')
  await time.advance(2_000)
  assert.deepEqual(seen, ['100 ADDED n1', '1000 ADDED a', '1000 ADDED b'])
})

test('a watch that is opened before a change is told to others hears of it once, like them', async () => {
  const { time, store, seen, open, make } = lateWorld()
  const before = store.revision
  open('nodes')
  make(NODES, 'n1')
  open('nodes', before)
  open('nodes')
  await time.advance(1_000)
  assert.deepEqual(seen, ['100 ADDED n1', '100 ADDED n1'])
  open('nodes', before)
  assert.equal(seen.length, 3)
})

test('a bookmark goes no further than what the watch was told', async () => {
  const { time, store, open, make } = lateWorld()
  const reply = open('nodes')
  const marked = (): number =>
    Number(
      (reply.bookmark().object as { readonly metadata: { readonly resourceVersion: string } }).metadata.resourceVersion,
    )
  const before = store.revision
  make(NODES, 'n1')
  make(NODES, 'n2')
  assert.equal(marked(), before)
  await time.advance(100)
  assert.equal(marked(), store.revision)
})

test('after a restart what was not told is told to nobody, and a watch from before is told 410', async () => {
  const { time, store, watches, seen, open, make } = lateWorld()
  const before = store.revision
  open('nodes')
  make(NODES, 'n1')
  watches.begin()
  await time.advance(1_000)
  assert.deepEqual(seen, [])
  open('nodes', before)
  open('nodes')
  make(NODES, 'n2')
  await time.advance(1_000)
  assert.deepEqual(seen, ['1000 ERROR ', '1100 ADDED n2'])
})
