import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortHash } from '../../../src/ground/model/owned/node-names.ts'
import { wantedDeployment } from '../../../src/ingress/decide/deployment.ts'
import { wantedGate } from '../../../src/ingress/decide/drain-gate.ts'
import { identityOf, newIdentity } from '../../../src/ingress/decide/names.ts'
import type { IngressDaemonSet, PodLimit } from '../../../src/ingress/model/ingress-daemon-set.ts'
import { anIngress, podsWith } from '../../support/ingress-objects.ts'
import { served } from '../../support/served-object.ts'

type Json = Readonly<Record<string, unknown>>

const UID = '11111111-2222-4333-8444-555555555555'
const NAME = `front-${shortHash('n1')}`

const order = (ids: IngressDaemonSet, node = 'n1') => ({
  identity: newIdentity(ids, node),
  revision: { number: 3, hash: 'kruagiged4' },
  replicas: 2,
})

const specOf = (ids: IngressDaemonSet, node?: string): Json => wantedDeployment(ids, order(ids, node)).spec as Json
const podSpecOf = (ids: IngressDaemonSet): Json => (specOf(ids).template as { readonly spec: Json }).spec
const affinityOf = (affinity: Json): unknown => podSpecOf(anIngress({ template: podsWith({ affinity }) })).affinity

const OURS = { 'evenkeel.dev/ingress': 'front', 'evenkeel.dev/ingress-uid': UID, 'evenkeel.dev/node': 'n1' }
const HERE = { key: 'metadata.name', operator: 'In', values: ['n1'] }
const OWNER = {
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'IngressDaemonSet',
  name: 'front',
  uid: UID,
  controller: true,
  blockOwnerDeletion: true,
}
const exists = (key: string, effect: string): Json => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect })
const DAEMON = [
  exists('not-ready', 'NoExecute'),
  exists('unreachable', 'NoExecute'),
  exists('disk-pressure', 'NoSchedule'),
  exists('memory-pressure', 'NoSchedule'),
  exists('pid-pressure', 'NoSchedule'),
  exists('unschedulable', 'NoSchedule'),
]

test('the Deployment of a node keeps the labels of the user and says all of itself at once', () => {
  const ids = anIngress()
  assert.deepEqual(wantedDeployment(ids, order(ids)), {
    metadata: {
      name: NAME,
      labels: { app: 'edge', ...OURS, 'ingress-daemon-for-node': 'n1' },
      annotations: {
        'evenkeel.dev/node': 'n1',
        'evenkeel.dev/revision': '3',
        'evenkeel.dev/template-hash': 'kruagiged4',
        'evenkeel.dev/health-check':
          '{"version":1,"ports":[30080],"minReadyPods":2,"mark":{"key":"evenkeel.dev/detach","value":""}}',
      },
      ownerReferences: [OWNER],
    },
    spec: {
      replicas: 2,
      minReadySeconds: 5,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 0,
      paused: false,
      selector: { matchLabels: { 'evenkeel.dev/ingress-uid': UID, 'evenkeel.dev/node': 'n1' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%', maxSurge: 0 } },
      template: {
        metadata: {
          labels: { app: 'edge', tier: 'front', ...OURS, 'controller-revision-hash': 'kruagiged4' },
          annotations: { 'example.com/team': 'net' },
        },
        spec: {
          containers: [
            {
              name: 'proxy',
              image: 'example.com/proxy:1',
              ports: [{ containerPort: 8443 }],
              resources: { limits: { cpu: '1000m', memory: '64Mi' } },
            },
          ],
          tolerations: DAEMON,
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [HERE] }] },
            },
          },
        },
      },
    },
  })
})

test('in the group of the first controller it is owned by an object of that group', () => {
  const ids = anIngress({}, { group: 'ingressdaemonsets.mumoshu.github.io' })
  assert.deepEqual(wantedDeployment(ids, order(ids)).metadata.ownerReferences, [
    { ...OWNER, apiVersion: 'ingressdaemonsets.mumoshu.github.io/v1alpha1' },
  ])
})

test('a node whose name is no label value is named in full by an annotation', () => {
  const node = 'n.'.repeat(126).concat('n')
  const ids = anIngress()
  const { metadata, spec } = wantedDeployment(ids, order(ids, node))
  const value = `h.${shortHash(node)}`
  assert.equal(metadata.annotations['evenkeel.dev/node'], node)
  assert.equal(metadata.labels['evenkeel.dev/node'], value)
  assert.equal(metadata.labels['ingress-daemon-for-node'], value)
  const { selector } = spec as { readonly selector: Json }
  assert.deepEqual(selector.matchLabels, { 'evenkeel.dev/ingress-uid': UID, 'evenkeel.dev/node': value })
})

test('labels that the user may not have are ours', () => {
  const template = { ...podsWith({}), metadata: { labels: { app: 'edge', 'evenkeel.dev/node': 'n9' } } }
  const pods = specOf(anIngress({ template })).template as { readonly metadata: { readonly labels: Json } }
  assert.equal(pods.metadata.labels['evenkeel.dev/node'], 'n1')
})

const count = (n: number): PodLimit => (n === 0 ? { kind: 'count', count: 0 } : { kind: 'count', count: n })

for (const [unavailable, surge, want] of [
  [count(1), count(0), { maxUnavailable: 1, maxSurge: 0 }],
  [count(0), count(2), { maxUnavailable: 0, maxSurge: 2 }],
  [
    { kind: 'percent', percent: 25 },
    { kind: 'percent', percent: 100 },
    { maxUnavailable: '25%', maxSurge: '100%' },
  ],
] as const) {
  test(`in place, pods are replaced as the spec says: ${JSON.stringify(want)}`, () => {
    const strategy = { kind: 'inPlace', maxDegradedNodes: { kind: 'count', count: 1 } } as const
    const ids = anIngress({ strategy: { ...strategy, maxUnavailablePods: unavailable, maxSurgedPods: surge } })
    assert.deepEqual(specOf(ids).strategy, { type: 'RollingUpdate', rollingUpdate: want })
  })
}

test('the deadline of a Deployment is longer than its pods have to be ready, or the API server refuses it', () => {
  const { rollout } = anIngress().spec
  const ids = anIngress({ minReadySeconds: 700, rollout: { ...rollout, progressDeadlineMs: 600_500 } })
  assert.equal(specOf(ids).progressDeadlineSeconds, 701)
  assert.equal(specOf(anIngress({ rollout: { ...rollout, progressDeadlineMs: 600_500 } })).progressDeadlineSeconds, 601)
})

test('the node stands in every term of the affinity of the user, and in none that matches nothing', () => {
  const zone = { key: 'zone', operator: 'In', values: ['a'] }
  const notIt = { key: 'metadata.name', operator: 'NotIn', values: ['n2'] }
  const preferred = [{ weight: 1, preference: { matchExpressions: [zone] } }]
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] }
  const terms = [{ matchExpressions: [zone] }, { matchFields: [notIt] }, {}]
  assert.deepEqual(
    affinityOf({
      podAntiAffinity,
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
      },
    }),
    {
      podAntiAffinity,
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [zone], matchFields: [HERE] }, { matchFields: [notIt, HERE] }, {}],
        },
      },
    },
  )
})

test('by the name of the node, the affinity of the user stays as it is', () => {
  const affinity = { podAntiAffinity: {} }
  const spec = podSpecOf(anIngress({ placement: 'NodeName', template: podsWith({ affinity }) }))
  assert.equal(spec.nodeName, 'n1')
  assert.deepEqual(spec.affinity, affinity)
})

test('pods tolerate what the pods of a DaemonSet do, beside what the user says, and nothing twice', () => {
  const gpu = { key: 'gpu', operator: 'Exists' }
  const cordon = exists('unschedulable', 'NoSchedule')
  const network = exists('network-unavailable', 'NoSchedule')
  const ids = anIngress({ template: podsWith({ hostNetwork: true, tolerations: [gpu, cordon] }) })
  assert.deepEqual(podSpecOf(ids).tolerations, [gpu, cordon, ...DAEMON.slice(0, -1), network])
})

test('an adopted Deployment keeps its name and its selector, and its pods bear what it selects', () => {
  const first = anIngress({}, { uid: 'uid-of-the-first' })
  const found = served(
    'Deployment',
    wantedDeployment(first, { ...order(first), identity: newIdentity(first, 'n1', 1) }),
  )
  const ids = anIngress()
  const wanted = wantedDeployment(ids, { ...order(ids), identity: identityOf(found, 'n1') })
  const { selector, template } = wanted.spec as { readonly selector: Json; readonly template: { metadata: Json } }
  assert.equal(wanted.metadata.name, found.name)
  assert.equal(wanted.metadata.labels['evenkeel.dev/ingress-uid'], UID)
  assert.deepEqual(selector, {
    matchLabels: { 'evenkeel.dev/ingress-uid': 'uid-of-the-first', 'evenkeel.dev/node': 'n1' },
  })
  const labels = template.metadata.labels as Json
  assert.equal(labels['evenkeel.dev/ingress-uid'], 'uid-of-the-first')
})

test('the gate of a node covers its pods alone: closed it lets none go, open it lets all go, healthy or not', () => {
  const ids = anIngress()
  const identity = newIdentity(ids, 'n1')
  const closed = wantedGate(ids, identity, 'closed')
  assert.deepEqual(closed, {
    metadata: {
      name: NAME,
      labels: OURS,
      annotations: { 'evenkeel.dev/node': 'n1' },
      ownerReferences: [OWNER],
    },
    spec: { selector: { matchLabels: identity.selector }, maxUnavailable: 0 },
  })
  assert.deepEqual(wantedGate(ids, identity, 'open').spec, {
    selector: { matchLabels: identity.selector },
    maxUnavailable: '100%',
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
  })
})
