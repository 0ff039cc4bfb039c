import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holdsTemplateOf, specAt, templateHash, wantedRevision } from '../../../src/ingress/decide/revision.ts'
import type { IngressSpec } from '../../../src/ingress/model/ingress-daemon-set.ts'
import { anIngress, anIngressSpec, POD_TEMPLATE, podsWith } from '../../support/ingress-objects.ts'
import { served } from '../../support/served-object.ts'

type Json = Readonly<Record<string, unknown>>

const BEFORE = templateHash(anIngressSpec())

test('the hash of a template never changes: every ingress pod there is bears it', () => {
  assert.equal(BEFORE, 'kruagiged4')
})

const NO_RESTART: readonly (readonly [what: string, change: Partial<Omit<IngressSpec, 'template'>>])[] = [
  ['the number of pods', { podsPerNode: 3, minReadyPodsPerNode: 1 }],
  ['minReadySeconds', { minReadySeconds: 60 }],
  [
    'the strategy',
    {
      strategy: {
        kind: 'inPlace',
        maxDegradedNodes: { kind: 'count', count: 1 },
        maxUnavailablePods: { kind: 'count', count: 1 },
        maxSurgedPods: { kind: 'count', count: 0 },
      },
    },
  ],
  ['the nodes', { nodeSelector: { edge: '' } }],
  [
    'the health checks',
    {
      healthCheckNodePorts: [30_081],
      healthChecker: { image: 'example.com/health:2', imagePullPolicy: 'Always', serviceAccountName: 'other' },
    },
  ],
  ['cordons and drains', { onCordon: 'Ignore', drainGate: 'Open', revisionHistoryLimit: 2 }],
]

for (const [what, change] of NO_RESTART) {
  test(`no pod is replaced for a change of ${what}`, () => assert.equal(templateHash(anIngressSpec(change)), BEFORE))
}

const RESTART: readonly (readonly [what: string, spec: IngressSpec])[] = [
  [
    'its image',
    anIngressSpec({ template: podsWith({ containers: [{ name: 'proxy', image: 'example.com/proxy:2' }] }) }),
  ],
  ['its labels', anIngressSpec({ template: { ...POD_TEMPLATE, metadata: { labels: { app: 'edge' } } } })],
  ['its node selector', anIngressSpec({ template: podsWith({ nodeSelector: { edge: '' } }) })],
  ['the way pods find their node', anIngressSpec({ placement: 'NodeName' })],
]

for (const [what, spec] of RESTART) {
  test(`pods are replaced for a change of ${what}`, () => assert.notEqual(templateHash(spec), BEFORE))
}

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
  ),
})).value

const reordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reordered)
  if (typeof value !== 'object' || value === null) return value
  const turned = Object.entries(value)
    .toReversed()
    .map(([key, field]) => [key, reordered(field)])
  return { ...Object.fromEntries(turned), creationTimestamp: null }
}

const hashOf = (fields: Json): string => templateHash(anIngressSpec({ template: podsWith({ fields }) }))

test('equal templates have equal hashes, in whatever order their fields are and with null for what is not there', () => {
  const fields = fc.dictionary(fc.string(), json, { maxKeys: 4 }).filter((value) => !hasNullField(value))
  fc.assert(fc.property(fields, (value) => assert.equal(hashOf(reordered(value) as Json), hashOf(value))))
})

const hasNullField = (value: object): boolean => JSON.stringify(value).includes('creationTimestamp')

test('other templates have other hashes', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      fc.pre(!isEqual(a, b))
      assert.notEqual(hashOf({ a }), hashOf({ a: b }))
      assert.notEqual(hashOf({ a }), hashOf({ b: a }))
    }),
  )
  assert.notEqual(hashOf({ a: [1, 2] }), hashOf({ a: [2, 1] }), 'the order of a list counts')
  assert.notEqual(hashOf({ a: {} }), hashOf({}), 'an empty object is something: emptyDir')
})

function isEqual(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))
    return true
  } catch {
    return false
  }
}

test('a revision keeps the template, under a name that tells which', () => {
  const ids = anIngress()
  assert.deepEqual(wantedRevision(ids, { number: 3, collisionCount: 0 }), {
    metadata: {
      name: `front-${BEFORE}`,
      labels: {
        'controller-revision-hash': BEFORE,
        'evenkeel.dev/ingress': 'front',
        'evenkeel.dev/ingress-uid': ids.uid,
      },
      annotations: {},
      ownerReferences: [
        {
          apiVersion: 'evenkeel.dev/v1alpha1',
          kind: 'IngressDaemonSet',
          name: 'front',
          uid: ids.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    data: { spec: { placement: 'Affinity', template: POD_TEMPLATE } },
    revision: 3,
  })
})

test('what a revision keeps comes back as it was', () => {
  const old = anIngress({ template: podsWith({ hostNetwork: true }), placement: 'NodeName' })
  const revision = served('ControllerRevision', wantedRevision(old, { number: 1, collisionCount: 0 }))
  assert.ok(holdsTemplateOf(revision, old.spec))
  const now = anIngressSpec({ podsPerNode: 7 })
  assert.ok(!holdsTemplateOf(revision, now))
  assert.deepEqual(specAt(now, revision), { ...old.spec, podsPerNode: 7 })
  assert.equal(templateHash(specAt(now, revision) ?? now), templateHash(old.spec))
})

test('a revision that cannot be read is none', () => {
  for (const data of [
    undefined,
    {},
    { spec: { placement: 'Affinity' } },
    { spec: { placement: 'There', template: {} } },
  ]) {
    const revision = served('ControllerRevision', { metadata: { name: 'front-x' }, data, revision: 1 })
    assert.equal(specAt(anIngressSpec(), revision), undefined)
    assert.ok(!holdsTemplateOf(revision, anIngressSpec()))
  }
})
