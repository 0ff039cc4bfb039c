import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deploymentPatch, hasTemplateOf } from '../../../../src/ground/model/owned/difference.ts'
import type { OwnedObject } from '../../../../src/ground/model/owned-object.ts'
import { type DeploymentOrder, wantedDeployment } from '../../../../src/ingress/decide/deployment.ts'
import { newIdentity } from '../../../../src/ingress/decide/names.ts'
import { templateHash } from '../../../../src/ingress/decide/revision.ts'
import type { IngressDaemonSet } from '../../../../src/ingress/model/ingress-daemon-set.ts'
import { anIngress, DETACH, podsWith } from '../../../support/ingress-objects.ts'
import { patched, served } from '../../../support/served-object.ts'

type Json = Readonly<Record<string, unknown>>

const wantedOf = (ids: IngressDaemonSet, change: Partial<DeploymentOrder> = {}) =>
  wantedDeployment(ids, {
    identity: newIdentity(ids, 'n1'),
    revision: { number: 1, hash: templateHash(ids.spec) },
    replicas: ids.spec.podsPerNode,
    ...change,
  })

const FIRST = anIngress()
const FOUND = served('Deployment', wantedOf(FIRST))
const specOf = (found: OwnedObject): Json => found.content.spec as Json
const withSpec = (found: OwnedObject, spec: Json): OwnedObject => ({
  ...found,
  content: { spec: { ...specOf(found), ...spec } },
})
const resourceVersion = '7'

test('what the API server fills in, drops and writes its own way is no difference', () => {
  const ids = anIngress({ minReadySeconds: 0, template: podsWith({ misspelt: true }) })
  const found = served('Deployment', wantedOf(ids))
  assert.equal(specOf(found).minReadySeconds, undefined)
  for (const pods of ['keep', 'replace'] as const) {
    assert.equal(deploymentPatch(FOUND, wantedOf(FIRST), pods), undefined)
    assert.equal(deploymentPatch(found, wantedOf(ids), pods), undefined)
  }
})

test('what others write beside our fields stays', () => {
  const found = {
    ...FOUND,
    labels: { ...FOUND.labels, team: 'net' },
    annotations: { ...FOUND.annotations, 'deployment.kubernetes.io/revision': '4', 'evenkeel.dev/detach': '' },
    owners: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' }, ...FOUND.owners],
  }
  assert.equal(deploymentPatch(found, wantedOf(FIRST), 'replace'), undefined)
})

const IN_PLACE: readonly (readonly [what: string, found: OwnedObject, wanted: IngressDaemonSet, patch: Json])[] = [
  [
    'the number of pods',
    FOUND,
    anIngress({ podsPerNode: 3 }),
    { metadata: { resourceVersion }, spec: { replicas: 3 } },
  ],
  ['times', FOUND, anIngress({ minReadySeconds: 0 }), { metadata: { resourceVersion }, spec: { minReadySeconds: 0 } }],
  [
    'the strategy',
    FOUND,
    anIngress({
      strategy: {
        kind: 'inPlace',
        maxDegradedNodes: { kind: 'count', count: 1 },
        maxUnavailablePods: { kind: 'percent', percent: 50 },
        maxSurgedPods: { kind: 'count', count: 0 },
      },
    }),
    { metadata: { resourceVersion }, spec: { strategy: { rollingUpdate: { maxUnavailable: '50%' } } } },
  ],
  [
    'a strategy that was changed by hand',
    withSpec(FOUND, { strategy: { type: 'Recreate' } }),
    FIRST,
    {
      metadata: { resourceVersion },
      spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%', maxSurge: 0 } } },
    },
  ],
  [
    'a pause by hand',
    withSpec(FOUND, { paused: true }),
    FIRST,
    { metadata: { resourceVersion }, spec: { paused: false } },
  ],
  [
    'a label that was removed',
    { ...FOUND, labels: { app: 'edge' } },
    FIRST,
    {
      metadata: {
        resourceVersion,
        labels: {
          'evenkeel.dev/ingress': 'front',
          'evenkeel.dev/ingress-uid': FIRST.uid,
          'evenkeel.dev/node': 'n1',
          'ingress-daemon-for-node': 'n1',
        },
      },
    },
  ],
  [
    'an annotation that was changed',
    { ...FOUND, annotations: { ...FOUND.annotations, 'evenkeel.dev/node': 'n2' } },
    FIRST,
    { metadata: { resourceVersion, annotations: { 'evenkeel.dev/node': 'n1' } } },
  ],
]

for (const [what, found, ids, patch] of IN_PLACE) {
  test(`a difference that no pod is replaced for: ${what}`, () => {
    for (const pods of ['keep', 'replace'] as const)
      assert.deepEqual(deploymentPatch(found, wantedOf(ids), pods), patch)
  })
}

test('an orphan is adopted beside the owners that it has', () => {
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' }
  const released = { ...FOUND.owners[0], controller: false }
  for (const owners of [[other], [released, other]]) {
    assert.deepEqual(deploymentPatch({ ...FOUND, owners }, wantedOf(FIRST), 'keep'), {
      metadata: { resourceVersion, ownerReferences: [other, FOUND.owners[0]] },
    })
  }
})

const SECOND = anIngress({
  podsPerNode: 3,
  template: { metadata: { labels: { app: 'edge' } }, spec: { containers: [{ name: 'proxy', image: 'proxy:2' }] } },
})
const SECOND_ORDER = { revision: { number: 2, hash: templateHash(SECOND.spec) } }

test('while its pods are kept, a Deployment does not say that it has another template', () => {
  const wanted = wantedOf(SECOND, SECOND_ORDER)
  assert.ok(!hasTemplateOf(FOUND, wanted))
  assert.deepEqual(deploymentPatch(FOUND, wanted, 'keep'), { metadata: { resourceVersion }, spec: { replicas: 3 } })
})

test('template, hash and revision are replaced in one write, and nothing of the old template stays', () => {
  const wanted = wantedOf(SECOND, SECOND_ORDER)
  const after = patched('Deployment', FOUND, deploymentPatch(FOUND, wanted, 'replace') ?? {})
  assert.deepEqual(after, { ...served('Deployment', wanted), resourceVersion: '8' })
  assert.ok(hasTemplateOf(after, wanted))
  const { metadata } = specOf(after).template as { readonly metadata: Json }
  assert.deepEqual([metadata.annotations, (metadata.labels as Json).tier], [undefined, undefined])
})

test('a template that is used once more gets its new number without a new pod', () => {
  const wanted = wantedOf(FIRST, { revision: { number: 9, hash: templateHash(FIRST.spec) } })
  assert.deepEqual(deploymentPatch(FOUND, wanted, 'keep'), {
    metadata: { resourceVersion, annotations: { 'evenkeel.dev/revision': '9' } },
  })
})

const aSpec = fc.record({
  podsPerNode: fc.integer({ min: 1, max: 4 }),
  minReadySeconds: fc.constantFrom(0, 5, 900),
  placement: fc.constantFrom('Affinity', 'NodeName'),
  strategy: fc.constantFrom(DETACH, {
    kind: 'inPlace',
    maxDegradedNodes: { kind: 'count', count: 1 },
    maxUnavailablePods: { kind: 'count', count: 0 },
    maxSurgedPods: { kind: 'percent', percent: 50 },
  } as const),
  template: fc
    .record(
      {
        hostNetwork: fc.boolean(),
        nodeSelector: fc.dictionary(fc.constantFrom('a', 'constructor'), fc.constantFrom('x', 'y')),
        tolerations: fc.subarray([{ key: 'a', operator: 'Exists' }, { operator: 'Exists' }]),
        securityContext: fc.constantFrom({ runAsUser: 1 }, { runAsNonRoot: true }, null),
        dnsPolicy: fc.constantFrom('Default', 'ClusterFirst'),
        misspelt: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .chain((spec) => fc.constantFrom(podsWith(spec), { ...podsWith(spec), metadata: { labels: { app: 'edge' } } })),
})

test('from whatever spec to whatever other, one write leads to what is wanted, and no second one follows', () => {
  fc.assert(
    fc.property(aSpec, aSpec, (before, after) => {
      const found = served('Deployment', wantedOf(anIngress(before)))
      const wanted = wantedOf(anIngress(after))
      const patch = deploymentPatch(found, wanted, 'replace')
      const then = patch === undefined ? found : patched('Deployment', found, patch)
      const { resourceVersion: _, ...is } = then
      const { resourceVersion: __, ...made } = served('Deployment', wanted)
      assert.deepEqual(is, made)
      assert.equal(deploymentPatch(then, wanted, 'replace'), undefined)
    }),
  )
})

test('as long as pods are kept, no write touches the template', () => {
  fc.assert(
    fc.property(aSpec, aSpec, (before, after) => {
      const found = served('Deployment', wantedOf(anIngress(before)))
      const wanted = wantedOf(anIngress(after))
      const patch = deploymentPatch(found, wanted, 'keep')
      const then = patch === undefined ? found : patched('Deployment', found, patch)
      assert.deepEqual(specOf(then).template, specOf(found).template)
      assert.equal(hasTemplateOf(then, wanted), hasTemplateOf(found, wanted))
      assert.equal(deploymentPatch(then, wanted, 'keep'), undefined)
    }),
  )
})
