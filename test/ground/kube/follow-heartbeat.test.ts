import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Lease } from '../../../src/ground/model/lease.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { answering, FakeApiServer, status } from './fake-api-server.ts'
import { type Opened, openFake, until } from './opened.ts'

interface Scene extends Opened {
  readonly server: FakeApiServer
  readonly events: FollowEvent<Lease>[]
  /** The renewal that was told last. */
  readonly beat: () => string | undefined
}

/** A follower of n1's heartbeat that has listed and watches. */
async function watching(t: TestContext): Promise<Scene> {
  const server = await new FakeApiServer('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases').start()
  server.apply('n1', { renewTime: 'beat-1' })
  const opened = await openFake(t, server)
  const events: FollowEvent<Lease>[] = []
  let last: string | undefined
  const sink = (event: FollowEvent<Lease>): void => {
    events.push(event)
    if (event.type === 'listed') last = event.objects[0]?.renewTime
    if (event.type === 'applied') last = event.object.renewTime
  }
  opened.cluster.followHeartbeat('n1', sink, opened.signal).catch(() => undefined)
  await until(opened, 'the watch to be open', () => server.watches === 1)
  return { ...opened, server, events, beat: () => last }
}

test('the Lease of that node alone is asked for, once, and its renewals are reported as they come', async (t) => {
  const scene = await watching(t)
  assert.equal(scene.beat(), 'beat-1')
  for (const beat of ['beat-2', 'beat-3', 'beat-4', 'beat-5']) {
    await scene.clock.advance(10_400)
    scene.server.apply('n1', { renewTime: beat })
    await until(scene, beat, () => scene.beat() === beat)
  }
  const asked = scene.server.requests.filter(({ path }) => path.includes('leases'))
  assert.deepEqual(
    asked.map(({ query }) => query.get('fieldSelector')),
    ['metadata.name=n1', 'metadata.name=n1'],
  )
})

test('a heartbeat that came while the watch was cut is seen within a second', async (t) => {
  const scene = await watching(t)
  scene.server.resetConnections()
  scene.server.apply('n1', { renewTime: 'beat-2' })
  const cutAt = scene.clock.monoMs()
  await until(scene, 'the heartbeat', () => scene.beat() === 'beat-2')
  assert.ok(scene.clock.monoMs() - cutAt < 1_000, String(scene.clock.monoMs() - cutAt))
})

test('a heartbeat is seen although the watch went mute, soon after it was due', async (t) => {
  const scene = await watching(t)
  scene.server.muteWatches()
  scene.server.apply('n1', { renewTime: 'beat-2' })
  const mutedAt = scene.clock.monoMs()
  await until(scene, 'the heartbeat', () => scene.beat() === 'beat-2')
  const tookMs = scene.clock.monoMs() - mutedAt
  assert.ok(tookMs > 10_000 && tookMs < 16_000, String(tookMs))
})

test('a heartbeat is seen although its watch is refused again and again', async (t) => {
  const scene = await watching(t)
  scene.server.putInTheWay('watch', answering(403, status(403)), 3)
  scene.server.endWatches()
  scene.server.apply('n1', { renewTime: 'beat-2' })
  await until(scene, 'the heartbeat', () => scene.beat() === 'beat-2')
  assert.equal(scene.events.filter(({ type }) => type === 'broken').length, 3)
})

test('a node that gives no heartbeat is looked at at the pace of heartbeats, and no faster', async (t) => {
  const scene = await watching(t)
  const startedAt = scene.clock.monoMs()
  await until(scene, 'two minutes', () => scene.clock.monoMs() - startedAt >= 120_000)
  const lists = scene.server.count('list')
  assert.ok(lists >= 8 && lists <= 11, `${lists} lists in two minutes`)
})
