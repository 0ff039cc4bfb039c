import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as macrotask } from 'node:timers/promises'
import type { Lease } from '../../../src/ground/model/lease.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { heartbeatFollower } from '../../../src/roll/run/boot-follower.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const lease = (name: string, renewTime: string): Lease => ({
  namespace: 'kube-node-lease',
  name,
  resourceVersion: '1',
  holder: name,
  durationSeconds: 40,
  renewTime,
  transitions: 0,
  annotations: {},
})

const broken: FollowEvent<never> = {
  type: 'broken',
  error: new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' }),
  retryInMs: 500,
}

interface Stream {
  readonly node: string
  readonly send: (event: FollowEvent<Lease>) => void
  readonly signal: AbortSignal
}

/** A follower that runs, and the streams it has opened, the newest last. */
function running() {
  const streams: Stream[] = []
  const changes: string[] = []
  const stop = new AbortController()
  const cluster = {
    followHeartbeat(node: string, send: Stream['send'], signal: AbortSignal): Promise<void> {
      streams.push({ node, send, signal })
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    },
  }
  const follower = heartbeatFollower({ cluster, clock: new VirtualClock(), onChange: () => changes.push('change') })
  const over = follower.run(stop.signal)
  over.catch(() => undefined)
  const send = (event: FollowEvent<Lease>): void => streams.at(-1)?.send(event)
  const open = (): readonly string[] => streams.filter(({ signal }) => !signal.aborted).map(({ node }) => node)
  return { follower, streams, changes, stop, over, send, open }
}

const n1 = { name: 'n1', bootId: 'boot-1' }

test('no Lease is followed before a node is named', async () => {
  const { follower, streams } = running()
  await macrotask()
  assert.deepEqual([streams.length, follower.known()], [0, undefined])
})

test('what the first list shows and each renewal after it is reported, and each wakes the roll', async () => {
  const { follower, changes, send } = running()
  follower.follow(n1)
  await macrotask()
  const beats: (string | undefined)[] = [follower.known()]
  send({ type: 'listed', objects: [lease('n1', 'beat-1')] })
  beats.push(follower.known())
  send({ type: 'fresh' })
  send({ type: 'applied', object: lease('n1', 'beat-2') })
  beats.push(follower.known())
  assert.deepEqual(beats, [undefined, 'beat-1', 'beat-2'])
  assert.equal(changes.length, 2)
})

test('a stream that breaks keeps what it told last', async () => {
  const { follower, send } = running()
  follower.follow(n1)
  await macrotask()
  send({ type: 'listed', objects: [lease('n1', 'beat-1')] })
  send(broken)
  assert.equal(follower.known(), 'beat-1')
  send({ type: 'listed', objects: [lease('n1', 'beat-3')] })
  assert.equal(follower.known(), 'beat-3')
})

test('a Lease that is gone, or was never renewed, is no heartbeat', async () => {
  const { follower, send } = running()
  follower.follow(n1)
  await macrotask()
  send({ type: 'listed', objects: [lease('n1', 'beat-1')] })
  send({ type: 'deleted', object: lease('n1', 'beat-1') })
  assert.equal(follower.known(), undefined)
  send({ type: 'applied', object: lease('n1', '') })
  assert.equal(follower.known(), undefined)
  send({ type: 'listed', objects: [] })
  assert.equal(follower.known(), undefined)
})

test('the Lease of another node is never taken for this one’s', async () => {
  const { follower, send } = running()
  follower.follow(n1)
  await macrotask()
  send({ type: 'listed', objects: [lease('n2', 'beat-9'), lease('n1', 'beat-1')] })
  send({ type: 'applied', object: lease('n2', 'beat-10') })
  send({ type: 'deleted', object: lease('n2', 'beat-10') })
  assert.equal(follower.known(), 'beat-1')
})

test('asked for again the same boot is followed on, not anew', async () => {
  const { follower, streams, send } = running()
  follower.follow(n1)
  await macrotask()
  send({ type: 'listed', objects: [lease('n1', 'beat-1')] })
  follower.follow(n1)
  await macrotask()
  assert.deepEqual([streams.length, follower.known()], [1, 'beat-1'])
})

test('another boot of the same node begins anew, and nothing of the last one is taken for it', async () => {
  const { follower, streams, open } = running()
  follower.follow(n1)
  await macrotask()
  streams[0]?.send({ type: 'listed', objects: [lease('n1', 'beat-1')] })
  follower.follow({ name: 'n1', bootId: 'boot-2' })
  assert.equal(follower.known(), undefined)
  await macrotask()
  assert.deepEqual([streams.length, open()], [2, ['n1']])
  streams[0]?.send({ type: 'applied', object: lease('n1', 'beat-2') })
  assert.equal(follower.known(), undefined)
  streams[1]?.send({ type: 'listed', objects: [lease('n1', 'beat-3')] })
  assert.equal(follower.known(), 'beat-3')
})

test('at rest no stream is open, and the next node is followed', async () => {
  const { follower, open } = running()
  follower.follow(n1)
  await macrotask()
  follower.rest()
  await macrotask()
  assert.deepEqual([open(), follower.known()], [[], undefined])
  follower.follow({ name: 'n2', bootId: 'boot-7' })
  await macrotask()
  assert.deepEqual(open(), ['n2'])
})

test('following ends with the reason of the signal', async () => {
  const { follower, over, stop, open } = running()
  follower.follow(n1)
  await macrotask()
  stop.abort(new Error('Ctrl-C'))
  await assert.rejects(over, { message: 'Ctrl-C' })
  assert.deepEqual(open(), [])
})

test('a Lease that is missing from a later list is gone, and what was told already does not wake the roll again', async () => {
  const { follower, changes, send } = running()
  follower.follow(n1)
  await macrotask()
  send({ type: 'listed', objects: [lease('n1', 'beat-1')] })
  send({ type: 'applied', object: lease('n1', 'beat-1') })
  assert.deepEqual(changes, ['change'])
  send({ type: 'listed', objects: [] })
  assert.equal(follower.known(), undefined)
  assert.deepEqual(changes, ['change', 'change'])
})

test('a stream that is left ends with an AbortError, and a bug in a stream ends the follower', async () => {
  const { follower, streams } = running()
  follower.follow(n1)
  await macrotask()
  follower.rest()
  const { name, message } = streams[0]?.signal.reason ?? {}
  assert.deepEqual([name, message], ['AbortError', 'another boot is followed, or none'])
  const bug = new TypeError('a bug')
  const cluster = { followHeartbeat: () => Promise.reject(bug) }
  const broken = heartbeatFollower({ cluster, clock: new VirtualClock(), onChange: () => undefined })
  broken.follow(n1)
  await assert.rejects(broken.run(new AbortController().signal), (error) => error === bug)
})
