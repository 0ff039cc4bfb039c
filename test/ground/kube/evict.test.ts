import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evict } from '../../../src/ground/kube/evict.ts'
import type { EvictionAnswer } from '../../../src/ground/model/eviction.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { PODS } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { EmbeddedApi } from '../../support/embedded-api.ts'

const never = new AbortController().signal

/** One pod that runs, and what is left of it. */
class Ground extends EmbeddedApi {
  readonly uid: string

  constructor() {
    super('shop')
    const container = { name: 'web', image: 'web:1' }
    const body = { metadata: { name: 'cart-a' }, spec: { nodeName: 'n1', containers: [container] } }
    const { metadata } = createObject(this.world, { resource: PODS, namespace: 'shop', body })
    this.uid = String(metadata.uid)
  }

  evict(change: { readonly uid?: string; readonly dryRun?: boolean; readonly graceSeconds?: number } = {}) {
    const { uid = this.uid, dryRun = false, ...grace } = change
    return this.done(this.cluster().evict({ namespace: 'shop', name: 'cart-a', uid }, { dryRun, ...grace }, never))
  }

  /** How long it is given to end; undefined: it is not on its way. */
  get leavingWithin(): unknown {
    return this.world.store.get(PODS, { namespace: 'shop', name: 'cart-a' })?.metadata.deletionGracePeriodSeconds
  }
}

test('a pod is given the time to end that is asked for, and its own where none is', async () => {
  const [asked, own] = [new Ground(), new Ground()]
  assert.deepEqual(await asked.evict({ graceSeconds: 7 }), { kind: 'accepted' })
  assert.deepEqual(await own.evict(), { kind: 'accepted' })
  assert.deepEqual([asked.leavingWithin, own.leavingWithin], [7, 30])
})

test('another pod of that name is not evicted', async () => {
  const ground = new Ground()
  assert.deepEqual(await ground.evict({ uid: 'of-the-one-before' }), { kind: 'replaced' })
  assert.equal(ground.leavingWithin, undefined)
})

test('an eviction that is only tried leaves the pod where it is', async () => {
  const ground = new Ground()
  assert.deepEqual(await ground.evict({ dryRun: true }), { kind: 'accepted' })
  assert.equal(ground.leavingWithin, undefined)
})

test('a call that failed may pass, and says how long the API asks to wait', async () => {
  const failing = (error: WorldError): Promise<EvictionAnswer> => {
    const client = new EmbeddedApi('shop').client()
    client.send = () => Promise.reject(error)
    return evict(client, { pod: { namespace: 'shop', name: 'cart-a', uid: 'u' }, dryRun: false }, never)
  }
  const facts = { code: 'KUBE_UNREACHABLE', retry: 'backoff' } as const
  assert.deepEqual(await failing(new WorldError('no route', facts)), { kind: 'passing', text: 'no route' })
  assert.deepEqual(await failing(new WorldError('no route', { ...facts, retryAfterMs: 9_000 })), {
    kind: 'passing',
    text: 'no route',
    retryAfterMs: 9_000,
  })
})

test('an eviction that the caller calls off ends with the reason of that, and a bug is a bug', async () => {
  const failing = (error: Error, signal: AbortSignal): Promise<EvictionAnswer> => {
    const client = new EmbeddedApi('shop').client()
    client.send = () => Promise.reject(error)
    return evict(client, { pod: { namespace: 'shop', name: 'cart-a', uid: 'u' }, dryRun: false }, signal)
  }
  const [reason, bug] = [new Error('the roll is over'), new TypeError('a bug')]
  const noRoute = new WorldError('no route', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  await assert.rejects(failing(noRoute, AbortSignal.abort(reason)), reason)
  await assert.rejects(failing(bug, never), bug)
})
