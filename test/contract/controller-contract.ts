import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kubeFleet } from '../../src/agent/io/kube-fleet.ts'
import type { FleetNode } from '../../src/agent/model/fleet-node.ts'
import { ApiClient } from '../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../src/ground/kube/api-reach.ts'
import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { kubeLeaderLease } from '../../src/ground/kube/kube-leader-lease.ts'
import { kubeObjectNotices } from '../../src/ground/kube/kube-object-notices.ts'
import { kubeconfigCredentials } from '../../src/ground/kube/kubeconfig-credentials.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import type { ApiDoor } from './api/api-door.ts'
import { field } from './api/field.ts'

const MAP = { namespace: 'default', name: 'evenkeel-cordon-grants' }
const CONFLICT = { name: 'WorldError', code: 'KUBE_CONFLICT' }

interface Ground {
  readonly kubeconfig: string
  /** Past the code that is looked at. */
  readonly door: ApiDoor
  readonly signal: AbortSignal
}

async function portsOf({ kubeconfig }: Ground) {
  const credentials = await kubeconfigCredentials({ paths: [kubeconfig], context: undefined, env: {} }, clock)
  const client = new ApiClient({ credentials, clock, userAgent: 'evenkeel/test' })
  const log = { debug: () => undefined, warn: () => undefined }
  const parts = { client, reach: new ApiReach(clock), clock, random, log }
  return {
    configMaps: kubeConfigMaps(client),
    leases: kubeLeaderLease(client),
    notices: kubeObjectNotices({ client, clock, random, identity: 'a-test' }),
    fleet: (selector?: string) => kubeFleet(parts, selector),
  }
}

/** What a controller asks of an API server, asked of it. */
export function controllerContract(ground: () => Promise<Ground>): void {
  test('a ConfigMap is made once, changed under the version that was read, and never made anew by a late write', async () => {
    const { door, signal, ...rest } = await ground()
    const { configMaps } = await portsOf({ door, signal, ...rest })
    assert.equal(await configMaps.read(MAP, signal), undefined)
    const fresh = { ...MAP, resourceVersion: '', annotations: { who: 'a' }, data: { grants: 'one' } }
    const made = await configMaps.write(fresh, signal)
    assert.deepEqual(made.data, { grants: 'one' })
    await assert.rejects(configMaps.write(fresh, signal), CONFLICT)
    const changed = await configMaps.write({ ...made, annotations: { who: 'b' }, data: { grants: 'two' } }, signal)
    await assert.rejects(configMaps.write({ ...made, data: { grants: 'late' } }, signal), CONFLICT)
    const { annotations, data } = (await configMaps.read(MAP, signal)) ?? {}
    assert.deepEqual([annotations, data], [{ who: 'b' }, { grants: 'two' }])
    const path = `/api/v1/namespaces/${MAP.namespace}/configmaps/${MAP.name}`
    assert.equal((await door.ask('DELETE', path)).status, 200)
    await assert.rejects(configMaps.write(changed, signal), { name: 'WorldError', code: 'KUBE_NOT_FOUND' })
    assert.equal(await configMaps.read(MAP, signal), undefined)
  })

  test('a leader’s Lease is made once, renewed under its version and given back', async () => {
    const { signal, ...rest } = await ground()
    const { leases } = await portsOf({ signal, ...rest })
    const ref = { namespace: 'default', name: 'evenkeel-controller' }
    const claim = {
      ...ref,
      resourceVersion: '',
      holder: 'a',
      durationSeconds: 15,
      renewTime: '2026-01-01T00:00:00.000001Z',
      transitions: 0,
      annotations: {},
    }
    const made = await leases.writeLease(claim, signal)
    await assert.rejects(leases.writeLease({ ...claim, holder: 'b' }, signal), CONFLICT)
    const renewed = await leases.writeLease({ ...made, renewTime: '2026-01-01T00:00:02.000002Z' }, signal)
    await assert.rejects(leases.writeLease({ ...made, holder: 'b' }, signal), CONFLICT)
    await leases.writeLease({ ...renewed, holder: '', durationSeconds: 1 }, signal)
    const found = await leases.readLease(ref, signal)
    assert.deepEqual([found?.holder, found?.durationSeconds], ['', 1])
  })

  test('a fleet is the nodes of its selector, and each as of now where it is read by name', async () => {
    const { door, signal, ...rest } = await ground()
    const { fleet } = await portsOf({ door, signal, ...rest })
    for (const [name, edge] of Object.entries({ f1: 'yes', f2: 'no' })) {
      await door.ask('POST', '/api/v1/nodes', { body: { metadata: { name, labels: { edge } } } })
    }
    const ours = fleet('edge=yes')
    const view = new Map<string, FleetNode>()
    ours
      .follow((event) => {
        if (event.type === 'listed') for (const node of event.objects) view.set(node.name, node)
        if (event.type === 'applied') view.set(event.object.name, event.object)
        if (event.type === 'deleted') view.delete(event.object.name)
      }, signal)
      .catch((error: unknown) => assert.equal(error, signal.reason))
    const until = (what: string, holds: () => boolean) =>
      waitFor({ what, limitMs: 10_000, everyMs: 10 }, () => holds() || undefined)
    await until('the list', () => view.has('f1'))
    assert.equal(view.has('f2'), false)
    const contentType = 'application/merge-patch+json'
    await door.ask('PATCH', '/api/v1/nodes/f1', { body: { spec: { unschedulable: true } }, contentType })
    assert.equal((await ours.read('f1', signal))?.unschedulable, true)
    assert.equal(await ours.read('f2', signal), undefined)
    assert.equal((await fleet().read('f2', signal))?.unschedulable, false)
    await until('the cordon', () => view.get('f1')?.unschedulable === true)
    await door.ask('PATCH', '/api/v1/nodes/f1', { body: { metadata: { labels: { edge: 'no' } } }, contentType })
    await until('it to leave the fleet', () => !view.has('f1'))
    for (const name of ['f1', 'f2']) await door.ask('DELETE', `/api/v1/nodes/${name}`)
  })

  test('an event of a Node is found by a client that asks for that Node’s events', async () => {
    const { door, signal, ...rest } = await ground()
    const { notices } = await portsOf({ door, signal, ...rest })
    const { body } = await door.ask('GET', '/api/v1/nodes/n1')
    const uid = String(field(body, 'metadata.uid'))
    await notices.tell(
      { kind: 'Node', name: 'n1', uid, type: 'Warning', reason: { code: 'CordonNotGranted', text: 'it is full' } },
      signal,
    )
    const asked = encodeURIComponent(`involvedObject.kind=Node,involvedObject.uid=${uid}`)
    const { body: events } = await door.ask('GET', `/api/v1/events?fieldSelector=${asked}`)
    assert.deepEqual(
      [field(events, 'items.0.reason'), field(events, 'items.0.message'), field(events, 'items.0.type')],
      ['CordonNotGranted', 'it is full', 'Warning'],
    )
  })
}
