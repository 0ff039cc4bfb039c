import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDoor } from './api-door.ts'
import { field } from './field.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
const GUARDS = '/apis/evenkeel.dev/v1alpha1/namespaces/default/nodeguards'
const APPS = '/apis/apps/v1/namespaces/default'
const MERGE = 'application/merge-patch+json'
const NOWHERE = { 'test.local/no': 'node' }

const container = { name: 'main', image: 'none:1' }
const aPod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { nodeSelector: NOWHERE, containers: [container], ...spec },
})

const aSet = (name: string, app: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app: name } }, spec: { nodeSelector: NOWHERE, containers: [container] } },
  },
})

/** What is refused, what may not change, and what is added. Needs NodeGuards without a schema. */
export function validationContract(door: () => ApiDoor): void {
  const ask: ApiDoor['ask'] = (...words) => door().ask(...words)
  const patch = (path: string, body: object) => ask('PATCH', path, { contentType: MERGE, body })
  const refusal = ({ status, body }: { readonly status: number; readonly body: unknown }): readonly unknown[] => {
    const causes = (field(body, 'details.causes') ?? []) as readonly {
      readonly reason: string
      readonly field: string
    }[]
    return [status, ...new Set(causes.map(({ reason, field: at }) => `${reason} ${at}`))]
  }
  const invalid = (at: string, reason = 'Invalid') => [422, `FieldValue${reason} ${at}`]

  test('a new object is refused for what is wrong in it, by the field', async () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'a', effect: 'NoSchedule', value: 'x' },
    ]
    const event = {
      involvedObject: { kind: 'Pod', name: 'x', namespace: 'kube-system' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
    }
    const rows: readonly (readonly [path: string, body: object, answer: readonly unknown[]])[] = [
      ['/api/v1/nodes', { metadata: { name: 'twice' }, spec: { taints } }, invalid('metadata.taints[1]', 'Duplicate')],
      ['/api/v1/nodes', { metadata: { name: 'a', labels: { l: 'a/b' } } }, invalid('metadata.labels')],
      [
        MAPS,
        { metadata: { name: 'big', annotations: { big: 'x'.repeat(300 * 1024) } } },
        invalid('metadata.annotations', 'TooLong'),
      ],
      [MAPS, { metadata: { name: 'big' }, data: { k: 'x'.repeat(1_153_434) } }, invalid('[]', 'TooLong')],
      [MAPS, { metadata: { name: 'number' }, data: { k: 3 } }, [400]],
      [LEASES, { metadata: { name: 'z' }, spec: { leaseDurationSeconds: 0 } }, invalid('spec.leaseDurationSeconds')],
      ['/api/v1/namespaces/default/events', { metadata: { name: 'e' }, ...event }, invalid('involvedObject.namespace')],
      [`${APPS}/daemonsets`, aSet('one', 'other'), invalid('spec.template.metadata.labels')],
      [PODS, aPod('none', { containers: [] }), invalid('spec.containers', 'Required')],
    ]
    for (const [path, body, answer] of rows) assert.deepEqual(refusal(await ask('POST', path, { body })), answer, path)
  })

  test('what is being deleted takes no new finalizer', async () => {
    await ask('POST', MAPS, { body: { metadata: { name: 'closing', finalizers: ['test.local/one'] } } })
    await ask('DELETE', `${MAPS}/closing`)
    const more = await patch(`${MAPS}/closing`, { metadata: { finalizers: ['test.local/one', 'test.local/two'] } })
    assert.deepEqual(refusal(more), invalid('metadata.finalizers', 'Forbidden'))
    await patch(`${MAPS}/closing`, { metadata: { finalizers: null } })
  })

  test('a pod keeps its spec, and a workload its selector', async () => {
    await ask('POST', PODS, { body: aPod('fixed') })
    for (const spec of [{ terminationGracePeriodSeconds: 3 }, { nodeName: 'elsewhere' }]) {
      assert.deepEqual(refusal(await patch(`${PODS}/fixed`, { spec })), invalid('spec', 'Forbidden'))
    }
    await ask('DELETE', `${PODS}/fixed?gracePeriodSeconds=0`)
    await ask('POST', `${APPS}/daemonsets`, { body: aSet('kept', 'kept') })
    const other = { selector: { matchLabels: { app: 'c' } }, template: { metadata: { labels: { app: 'c' } } } }
    assert.deepEqual(refusal(await patch(`${APPS}/daemonsets/kept`, { spec: other })), invalid('spec.selector'))
    await ask('DELETE', `${APPS}/daemonsets/kept`)
  })

  test('a budget and a custom resource are replaced under a version alone', async () => {
    const budget = { metadata: { name: 'blind' }, spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } } }
    const guard = {
      apiVersion: 'evenkeel.dev/v1alpha1',
      kind: 'NodeGuard',
      metadata: { name: 'blind' },
      spec: { a: 1 },
    }
    for (const [path, body] of [
      [BUDGETS, budget],
      [GUARDS, guard],
    ] as const) {
      assert.equal((await ask('POST', path, { body })).status, 201, path)
      assert.deepEqual(refusal(await ask('PUT', `${path}/blind`, { body })), invalid('metadata.resourceVersion'))
      await ask('DELETE', `${path}/blind`)
    }
  })

  test('the status of a custom resource is written without its metadata', async () => {
    const metadata = { name: 'stated', finalizers: ['test.local/held'] }
    await ask('POST', GUARDS, {
      body: { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'NodeGuard', metadata, spec: { a: 1 } },
    })
    const more = { annotations: { a: 'b' }, labels: { l: 'm' }, finalizers: null }
    const { body } = await patch(`${GUARDS}/stated/status`, { metadata: more, spec: { a: 2 }, status: { phase: 'ok' } })
    assert.deepEqual(
      ['metadata.annotations', 'metadata.labels', 'metadata.finalizers', 'spec', 'status'].map((at) => field(body, at)),
      [undefined, undefined, ['test.local/held'], { a: 1 }, { phase: 'ok' }],
    )
    await patch(`${GUARDS}/stated`, { metadata: { finalizers: null } })
    await ask('DELETE', `${GUARDS}/stated`)
  })

  test('a probe, a container and a pod are stored with what they leave out', async () => {
    const probed = { ...container, readinessProbe: { httpGet: { path: '/', port: 80 } } }
    const { body } = await ask('POST', PODS, { body: aPod('probed', { containers: [probed] }) })
    assert.deepEqual(field(body, 'spec.containers.0.readinessProbe'), {
      httpGet: { path: '/', port: 80, scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    })
    assert.deepEqual(
      ['imagePullPolicy', 'terminationMessagePath', 'terminationMessagePolicy', 'resources'].map((name) =>
        field(body, `spec.containers.0.${name}`),
      ),
      ['IfNotPresent', '/dev/termination-log', 'File', {}],
    )
    assert.deepEqual(
      ['restartPolicy', 'dnsPolicy', 'enableServiceLinks', 'securityContext'].map((name) =>
        field(body, `spec.${name}`),
      ),
      ['Always', 'ClusterFirst', true, {}],
    )
    await ask('DELETE', `${PODS}/probed?gracePeriodSeconds=0`)
  })
}
