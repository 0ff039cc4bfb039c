import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kubeServiceConditions } from '../../../src/dns/io/kube-service-conditions.ts'
import type { ServiceAsRead } from '../../../src/dns/ports/service-conditions.ts'
import { kubeObjectNotices } from '../../../src/ground/kube/kube-object-notices.ts'
import type { Condition } from '../../../src/ground/model/condition.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { EVENTS, SERVICES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { MERGE_PATCH, patchObject } from '../../../src/sim/world/patch-object.ts'
import { EmbeddedApi } from '../../support/embedded-api.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const never = new AbortController().signal
const SERVICE = { namespace: 'kube-system', name: 'kube-dns' }
const log = { debug: () => undefined, warn: () => undefined }

const conditionOf = (change: Partial<Condition> = {}): Condition => ({
  type: 'evenkeel.dev/DNSHealthy',
  status: 'True',
  reason: 'Healthy',
  message: 'All is well.',
  lastTransitionTime: '2026-01-01T00:00:00.123Z',
  ...change,
})

/** A cluster with the Service of DNS and another one. */
class Ground extends EmbeddedApi {
  readonly conditions = kubeServiceConditions({ client: this.client(), log })

  constructor() {
    super('kube-system')
    for (const name of ['kube-dns', 'metrics'])
      createObject(this.world, { resource: SERVICES, namespace: 'kube-system', body: { metadata: { name } } })
  }

  async read(): Promise<ServiceAsRead> {
    const found = await this.done(this.conditions.read(SERVICE, never))
    assert.ok(found)
    return found
  }

  get status(): unknown {
    return this.world.store.get(SERVICES, SERVICE)?.status
  }

  /** As another controller. */
  patchStatus(status: unknown): void {
    const old = this.world.store.get(SERVICES, SERVICE)
    assert.ok(old)
    const patch = { status }
    patchObject(this.world, { resource: SERVICES, old, contentType: MERGE_PATCH, patch, statusOnly: true })
  }
}

test('a condition is put into the status of the Service, and read again', async () => {
  const ground = new Ground()
  const before = await ground.read()
  assert.deepEqual([before.name, before.conditions], ['kube-dns', []])
  await ground.done(ground.conditions.write(before, conditionOf(), never))
  const written = { ...conditionOf(), lastTransitionTime: '2026-01-01T00:00:00Z' }
  const after = await ground.read()
  assert.deepEqual([after.conditions, after.uid], [[written], before.uid])
  await ground.done(ground.conditions.write(after, conditionOf({ status: 'False', reason: 'UdpDead' }), never))
  assert.deepEqual(
    (await ground.read()).conditions.map(({ status, reason }) => `${status} ${reason}`),
    ['False UdpDead'],
  )
})

test('what others have in the status stays as it is', async () => {
  const ground = new Ground()
  const balancer = { ingress: [{ ip: '192.0.2.1' }] }
  const theirs = { type: 'Programmed', status: 'True', reason: 'Done', message: '', lastTransitionTime: '', more: 1 }
  ground.patchStatus({ loadBalancer: balancer, conditions: [theirs] })
  await ground.done(ground.conditions.write(await ground.read(), conditionOf(), never))
  await ground.done(ground.conditions.write(await ground.read(), conditionOf({ status: 'Unknown' }), never))
  const ours = { ...conditionOf({ status: 'Unknown' }), lastTransitionTime: '2026-01-01T00:00:00Z' }
  assert.deepEqual(ground.status, { loadBalancer: balancer, conditions: [theirs, ours] })
})

test('a Service that was written since it was read is left alone', async () => {
  const ground = new Ground()
  const read = await ground.read()
  ground.patchStatus({ loadBalancer: {}, conditions: [] })
  await assert.rejects(
    ground.done(ground.conditions.write(read, conditionOf(), never)),
    (error: unknown) => error instanceof WorldError && error.code === 'KUBE_CONFLICT',
  )
})

test('a Service that is not there is none', async () => {
  const ground = new Ground()
  const absent = { namespace: 'kube-system', name: 'coredns' }
  assert.equal(await ground.done(ground.conditions.read(absent, never)), undefined)
})

test('an Event of a Service lies beside it', async () => {
  const ground = new Ground()
  const { uid } = await ground.read()
  const notices = kubeObjectNotices({
    client: ground.client(),
    clock: ground.time,
    random: new SeededRandom(1),
    identity: 'me',
  })
  const reason = { code: 'UdpDead', text: 'Pod a: the pod answers over TCP but not over UDP.' }
  await ground.done(notices.tell({ kind: 'Service', ...SERVICE, uid, type: 'Warning', reason }, never))
  const [event, ...more] = [...ground.world.store.all(EVENTS)]
  assert.deepEqual(more, [])
  assert.deepEqual(
    [event?.metadata.namespace, event?.involvedObject, event?.type, event?.reason, event?.message],
    ['kube-system', { apiVersion: 'v1', kind: 'Service', ...SERVICE, uid }, 'Warning', 'UdpDead', reason.text],
  )
})
