import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergePatch } from '../../../src/sim/world/merge-patch.ts'
import type { ApiDoor } from './api-door.ts'
import { field } from './field.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
const GUARDS = '/apis/evenkeel.dev/v1alpha1/namespaces/default/nodeguards'
const APPS = '/apis/apps/v1/namespaces/default'
const EVENTS = '/api/v1/namespaces/default/events'
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims'
const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses'
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
      [MAPS, { metadata: { name: 'both' }, data: { k: 'v' }, binaryData: { k: 'AAEC' } }, invalid('data[k]')],
      [LEASES, { metadata: { name: 'z' }, spec: { leaseDurationSeconds: 0 } }, invalid('spec.leaseDurationSeconds')],
      [EVENTS, { metadata: { name: 'e' }, ...event }, invalid('involvedObject.namespace')],
      [`${APPS}/daemonsets`, aSet('one', 'other'), invalid('spec.template.metadata.labels')],
      // Its own validation goes first, and what is common to all kinds after it.
      [EVENTS, { metadata: { name: 'e', labels: { l: 'a/b' } }, ...event }, invalid('involvedObject.namespace')],
      [EVENTS, { metadata: { name: 'e', resourceVersion: '7' }, ...event }, invalid('involvedObject.namespace')],
      [
        CLAIMS,
        {
          metadata: { name: 'c' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '0' } } },
        },
        invalid('spec.resources[storage]'),
      ],
      [
        '/api/v1/persistentvolumes',
        {
          metadata: { name: 'v' },
          spec: { accessModes: ['Whole'], capacity: { storage: '1Gi' }, hostPath: { path: '/tmp' } },
        },
        invalid('spec.accessModes', 'NotSupported'),
      ],
      [
        '/api/v1/namespaces/default/resourcequotas',
        { metadata: { name: 'q' }, spec: { hard: { pods: '-1' } } },
        invalid('spec.hard[pods]'),
      ],
      [
        '/api/v1/namespaces/default/services',
        { metadata: { name: 's' }, spec: { type: 'Other', ports: [{ port: 80 }] } },
        invalid('spec.type', 'NotSupported'),
      ],
      [CLASSES, { metadata: { name: 'p' }, value: 2_000_000_000 }, invalid('value', 'Forbidden')],
      [
        `${APPS}/statefulsets`,
        mergePatch(aSet('one', 'one'), { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: {} } } }) as object,
        invalid('spec.updateStrategy.rollingUpdate'),
      ],
      [
        `${APPS}/deployments`,
        mergePatch(aSet('one', 'one'), { spec: { selector: null } }) as object,
        [...invalid('spec.selector', 'Required'), 'FieldValueInvalid spec.template.metadata.labels'],
      ],
      [
        `${APPS}/daemonsets`,
        mergePatch(aSet('Upper', 'Upper'), {
          spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } } },
        }) as object,
        [...invalid('metadata.name'), 'FieldValueRequired spec.updateStrategy.rollingUpdate.maxUnavailable'],
      ],
      [PODS, aPod('none', { containers: [] }), invalid('spec.containers', 'Required')],
      [
        MAPS,
        { metadata: { name: 'm', ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'e', uid: 'u' }] } },
        invalid('metadata.ownerReferences'),
      ],
      [GUARDS, { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Wrong', metadata: { name: 'g' } }, invalid('kind')],
    ]
    for (const [path, body, answer] of rows) assert.deepEqual(refusal(await ask('POST', path, { body })), answer, path)
  })

  test('a few kinds are free in their names and finalizers', async () => {
    const spec = { minAvailable: 1, selector: { matchLabels: { a: 'b' } } }
    assert.equal((await ask('POST', BUDGETS, { body: { metadata: { name: 'Upper' }, spec } })).status, 201)
    await ask('DELETE', `${BUDGETS}/Upper`)
    const lease = { metadata: { name: 'bare', finalizers: ['nothing'] }, spec: { holderIdentity: 'a' } }
    assert.equal((await ask('POST', LEASES, { body: lease })).status, 201)
    await patch(`${LEASES}/bare`, { metadata: { finalizers: null } })
    await ask('DELETE', `${LEASES}/bare`)
  })

  test('a value of a priority class may not change, and a namespace keeps its name as a label', async () => {
    await ask('POST', CLASSES, { body: { metadata: { name: 'ten' }, value: 10 } })
    assert.deepEqual(refusal(await patch(`${CLASSES}/ten`, { value: 5 })), invalid('value', 'Forbidden'))
    await ask('DELETE', `${CLASSES}/ten`)
    const { body } = await patch('/api/v1/namespaces/default', { metadata: { labels: null } })
    assert.deepEqual(field(body, 'metadata.labels'), { 'kubernetes.io/metadata.name': 'default' })
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
    for (const [key, answer] of [
      ['a', [200]],
      ['b', invalid('spec.tolerations', 'Forbidden')],
    ] as const) {
      assert.deepEqual(
        refusal(await patch(`${PODS}/fixed`, { spec: { tolerations: [{ key, operator: 'Exists' }] } })),
        answer,
      )
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

  test('a negative grace is a second, and a node has the range of its pods in a list, too', async () => {
    const { body } = await ask('POST', PODS, { body: aPod('hasty', { terminationGracePeriodSeconds: -1 }) })
    assert.equal(field(body, 'spec.terminationGracePeriodSeconds'), 1)
    await ask('DELETE', `${PODS}/hasty?gracePeriodSeconds=0`)
    const node = { metadata: { name: 'ranged' }, spec: { podCIDR: '10.9.0.0/24' } }
    const made = await ask('POST', '/api/v1/nodes', { body: node })
    assert.deepEqual(field(made.body, 'spec.podCIDRs'), ['10.9.0.0/24'])
    await ask('DELETE', '/api/v1/nodes/ranged')
  })

  test('a custom resource that is replaced by what it is stays as it is', async () => {
    const body = { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'NodeGuard', metadata: { name: 'same' }, spec: { a: 1 } }
    const made = (await ask('POST', GUARDS, { body })).body
    const again = (await ask('PUT', `${GUARDS}/same`, { body: made })).body
    assert.equal(field(again, 'metadata.resourceVersion'), field(made, 'metadata.resourceVersion'))
    await ask('DELETE', `${GUARDS}/same`)
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
