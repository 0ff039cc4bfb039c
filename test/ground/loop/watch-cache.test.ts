import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { FollowCache } from '../../../src/ground/loop/follow-cache.ts'
import { WatchCache } from '../../../src/ground/loop/watch-cache.ts'
import type { Service } from '../../../src/ground/model/service.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent, Kind, KindMap } from '../../../src/ground/ports/cluster.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

const service = (name: string, nodePorts: readonly number[] = []): Service => ({
  namespace: 'shop',
  name,
  type: 'NodePort',
  selector: {},
  externalTrafficPolicy: 'Cluster',
  internalTrafficPolicy: 'Cluster',
  nodePorts,
})

const attachment = (name: string, nodeName: string) => ({ name, nodeName, attacher: 'csi', attached: true })

const broken = (text: string): FollowEvent<never> => ({
  type: 'broken',
  error: new WorldError(text, { code: 'KUBE_UNREACHABLE', retry: 'backoff' }),
  retryInMs: 500,
})

/** An API server whose stream the test writes. */
function stream<K extends Kind>(kind: K) {
  const clock = new VirtualClock()
  const changes: string[] = []
  let send: (event: FollowEvent<KindMap[K]>) => void = () => assert.fail('nobody follows')
  const cluster = {
    follow<F extends Kind>(_: F, sink: (event: FollowEvent<KindMap[F]>) => void, signal: AbortSignal): Promise<void> {
      send = sink as typeof send
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    },
  }
  const cache = new WatchCache({ cluster, kind, clock, onChange: () => changes.push('change') })
  return { clock, cache, changes, send: (event: FollowEvent<KindMap[K]>) => send(event) }
}

test('objects are those of the last list and what changed since, in the order of their keys', () => {
  const { cache, send } = stream('services')
  void cache.run(never)
  send({ type: 'listed', objects: [service('web'), service('api')] })
  send({ type: 'applied', object: service('cart') })
  send({ type: 'applied', object: service('web', [30_080]) })
  send({ type: 'deleted', object: service('api') })
  assert.deepEqual(cache.objects(), [service('cart'), service('web', [30_080])])
  assert.deepEqual(cache.get('shop/web')?.nodePorts, [30_080])
  assert.equal(cache.get('shop/api'), undefined)
})

test('a list after a gap forgets the objects that went in the gap', () => {
  const { cache, send } = stream('services')
  void cache.run(never)
  send({ type: 'listed', objects: [service('web'), service('api')] })
  send(broken('410 Gone'))
  send({ type: 'listed', objects: [service('api')] })
  assert.deepEqual(cache.objects(), [service('api')])
})

test('a stream that says something before its first list is not in step yet', () => {
  const { cache, send } = stream('services')
  void cache.run(never)
  send({ type: 'fresh' })
  send({ type: 'applied', object: service('web') })
  assert.equal(cache.freshness().synced, false)
  send({ type: 'listed', objects: [service('web')] })
  assert.equal(cache.freshness().synced, true)
})

test('an object without a namespace is found by its name', () => {
  const { cache, send } = stream('volumeattachments')
  void cache.run(never)
  send({ type: 'listed', objects: [attachment('pv-1', 'worker-1')] })
  assert.equal(cache.get('pv-1')?.nodeName, 'worker-1')
})

test('the end of a predecessor does not take its successor of the same name with it', () => {
  const { cache, send } = stream('nodes')
  const node = (uid: string) => ({
    name: 'worker-1',
    uid,
    resourceVersion: '1',
    labels: {},
    annotations: {},
    unschedulable: false,
    taints: [],
    ready: 'True' as const,
    heartbeat: '',
    bootId: '',
    internalAddresses: [],
    volumesAttached: [],
  })
  void cache.run(never)
  send({ type: 'listed', objects: [node('new')] })
  send({ type: 'deleted', object: node('old') })
  assert.equal(cache.get('worker-1')?.uid, 'new')
  send({ type: 'deleted', object: node('new') })
  assert.equal(cache.get('worker-1'), undefined)
})

test('is synced at the first list and not before, and stays so through a break', async () => {
  const { cache, send } = stream('services')
  void cache.run(never)
  const synced = cache.synced(never)
  assert.equal(cache.freshness().synced, false)
  send(broken('connect ECONNREFUSED'))
  assert.equal(cache.freshness().synced, false)
  send({ type: 'listed', objects: [] })
  await synced
  send(broken('socket hang up'))
  assert.equal(cache.freshness().synced, true)
})

test('a caller that waits for the first list gives up with the reason of the signal', async () => {
  const { cache } = stream('services')
  const stop = new AbortController()
  const waiting = cache.synced(stop.signal)
  stop.abort(new Error('Ctrl-C'))
  await assert.rejects(waiting, { message: 'Ctrl-C' })
})

test('freshness tells the last proof of life and since when there is none', async () => {
  const { cache, clock, send } = stream('services')
  void cache.run(never)
  assert.deepEqual(cache.freshness(), { synced: false })
  await clock.advance(100)
  send({ type: 'listed', objects: [] })
  await clock.advance(100)
  send({ type: 'fresh' })
  assert.deepEqual(cache.freshness(), { synced: true, provenAt: 200 })
  await clock.advance(100)
  send(broken('first'))
  await clock.advance(100)
  send(broken('second'))
  const { provenAt, brokenSince, error } = cache.freshness()
  assert.deepEqual([provenAt, brokenSince, error?.message], [200, 300, 'second'])
  await clock.advance(100)
  send({ type: 'fresh' })
  assert.deepEqual(cache.freshness(), { synced: true, provenAt: 500 })
})

test('tells of each change, of a break and of its end, but not of every sign of life', () => {
  const { cache, changes, send } = stream('services')
  void cache.run(never)
  const changesBy = (event: FollowEvent<Service>): number => {
    const before = changes.length
    send(event)
    return changes.length - before
  }
  assert.equal(changesBy({ type: 'listed', objects: [service('web')] }), 1)
  assert.equal(changesBy({ type: 'fresh' }), 0)
  assert.equal(changesBy({ type: 'applied', object: service('web') }), 1)
  assert.equal(changesBy({ type: 'deleted', object: service('never-seen') }), 0)
  assert.equal(changesBy(broken('reset')), 1)
  assert.equal(changesBy({ type: 'fresh' }), 1)
  assert.equal(changesBy({ type: 'deleted', object: service('web') }), 1)
})

test('following ends with the reason of the signal', async () => {
  const { cache } = stream('services')
  const stop = new AbortController()
  const running = cache.run(stop.signal)
  stop.abort(new Error('Ctrl-C'))
  await assert.rejects(running, { message: 'Ctrl-C' })
})

test('nothing is synced before the first list, whatever else comes, and a wait for it leaves no listener behind', async () => {
  const { cache, send } = stream('services')
  void cache.run(never)
  const { signal } = new AbortController()
  let synced = false
  const waiting = cache.synced(signal).then(() => {
    synced = true
  })
  send({ type: 'fresh' })
  await new Promise(setImmediate)
  assert.deepEqual([synced, cache.freshness().synced], [false, false])
  send({ type: 'listed', objects: [] })
  await waiting
  assert.equal(cache.freshness().synced, true)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('a caller that waits with a signal that is aborted already is refused with its reason', async () => {
  const { cache } = stream('services')
  await assert.rejects(cache.synced(AbortSignal.abort(new Error('Ctrl-C'))), { message: 'Ctrl-C' })
})

test('an object that comes for the first time is news, and a change of it where that is said', () => {
  const changes: string[] = []
  let send: (event: FollowEvent<Service>) => void = () => assert.fail('nobody follows')
  const cache = new FollowCache<Service>({
    follow: (sink) => {
      send = sink
      return new Promise(() => undefined)
    },
    clock: new VirtualClock(),
    onChange: () => changes.push('change'),
    isNews: (before, now) => before.nodePorts.length !== now.nodePorts.length,
  })
  void cache.run(never)
  send({ type: 'applied', object: service('web', [1]) })
  assert.equal(changes.length, 1)
  send({ type: 'applied', object: service('web', [2]) })
  assert.equal(changes.length, 1)
  assert.deepEqual(cache.get('shop/web')?.nodePorts, [2])
  send({ type: 'applied', object: service('web', [2, 3]) })
  assert.equal(changes.length, 2)
})

test('a watch event that changes only the version keeps the old object and records the new version', () => {
  interface Thing {
    readonly name: string
    readonly resourceVersion: string
    readonly says: string
  }
  const [first, same, other] = [
    { name: 'a', resourceVersion: '1', says: 'x' },
    { name: 'a', resourceVersion: '2', says: 'x' },
    { name: 'a', resourceVersion: '3', says: 'y' },
  ]
  let send: (event: FollowEvent<Thing>) => void = () => assert.fail('nothing follows')
  const changes: string[] = []
  const cache = new FollowCache<Thing>({
    follow: (sink) => {
      send = sink
      return new Promise(() => undefined)
    },
    clock: new VirtualClock(),
    onChange: () => changes.push('change'),
    isSame: (before, now) => before.says === now.says,
  })
  void cache.run(never)
  send({ type: 'listed', objects: [first] })
  const list = cache.objects()
  send({ type: 'applied', object: same })
  assert.ok(cache.get('a') === first && cache.objects() === list)
  assert.deepEqual([cache.versionOf(first), changes.length], ['2', 1])
  send({ type: 'applied', object: other })
  assert.ok(cache.get('a') === other)
  assert.deepEqual([cache.versionOf(first), cache.versionOf(other), changes.length], ['1', '3', 2])
  send({ type: 'applied', object: { ...other, resourceVersion: '4' } })
  assert.equal(cache.versionOf(other), '4')
  const listed = { ...other, resourceVersion: '5' }
  send({ type: 'listed', objects: [listed] })
  assert.ok(cache.get('a') === listed)
  assert.equal(cache.versionOf(listed), '5')
})
