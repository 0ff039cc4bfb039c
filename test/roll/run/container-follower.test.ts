import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as macrotask } from 'node:timers/promises'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { containerFollower } from '../../../src/roll/run/boot-follower.ts'
import { aPod } from '../../support/roll-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const proxy = (...ids: readonly string[]): Pod =>
  aPod('proxy-1', 'n1', { containerIds: Object.fromEntries(ids.map((id, i) => [`c${i}`, id])) })

const broken: FollowEvent<never> = {
  type: 'broken',
  error: new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' }),
  retryInMs: 500,
}

/** A follower of n1 that runs, and what its newest stream is sent. */
async function following() {
  const sends: ((event: FollowEvent<Pod>) => void)[] = []
  const changes: string[] = []
  const cluster = {
    followPodsOf(_: string, send: (event: FollowEvent<Pod>) => void, signal: AbortSignal): Promise<void> {
      sends.push(send)
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  }
  const follower = containerFollower({ cluster, clock: new VirtualClock(), onChange: () => changes.push('change') })
  follower.run(new AbortController().signal).catch(() => undefined)
  follower.follow({ name: 'n1', bootId: 'boot-1' })
  await macrotask()
  const send = (event: FollowEvent<Pod>): void => sends.at(-1)?.(event)
  return { follower, send, changes, since: () => [...(follower.known()?.since ?? ['unknown'])] }
}

test('nothing is new before the first list, nor what it shows', async () => {
  const { send, since } = await following()
  assert.deepEqual(since(), ['unknown'])
  send({ type: 'listed', objects: [proxy('old')] })
  send({ type: 'applied', object: proxy('old') })
  assert.deepEqual(since(), [])
})

test('a container that is reported after the first list is new, and each wakes the roll once', async () => {
  const { send, since, changes } = await following()
  send({ type: 'listed', objects: [proxy('old')] })
  send({ type: 'applied', object: proxy('', 'new-1') })
  send({ type: 'applied', object: proxy('new-1', 'new-2') })
  send({ type: 'fresh' })
  send({ type: 'applied', object: proxy('new-1', 'new-2') })
  assert.deepEqual([since(), changes.length], [['new-1', 'new-2'], 3])
})

test('a list after a break tells what is new, and not what is old anew', async () => {
  const { send, since } = await following()
  send({ type: 'listed', objects: [proxy('old')] })
  send(broken)
  send({ type: 'listed', objects: [proxy('old', 'new')] })
  assert.deepEqual(since(), ['new'])
})

test('a break before the first list leaves nothing known', async () => {
  const { send, since } = await following()
  send(broken)
  assert.deepEqual(since(), ['unknown'])
  send({ type: 'listed', objects: [proxy('old')] })
  assert.deepEqual(since(), [])
})

test('pods of other nodes tell nothing', async () => {
  const { send, since } = await following()
  send({ type: 'listed', objects: [] })
  send({ type: 'applied', object: { ...proxy('other'), nodeName: 'n2' } })
  assert.deepEqual(since(), [])
})

test('another boot of the same node lists anew: what was new is old', async () => {
  const { follower, send, since } = await following()
  send({ type: 'listed', objects: [] })
  send({ type: 'applied', object: proxy('boot-1') })
  follower.follow({ name: 'n1', bootId: 'boot-2' })
  assert.deepEqual(since(), ['unknown'])
  await macrotask()
  send({ type: 'listed', objects: [proxy('boot-1')] })
  send({ type: 'applied', object: proxy('boot-2') })
  assert.deepEqual(since(), ['boot-2'])
})
