import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../../src/ground/model/pod.ts'
import type { EndpointSlice, Service } from '../../../src/ground/model/service.ts'
import { type PoliteReading, politeSpec, whyNotPolite } from '../../../src/roll/decide/drain/may-be-polite.ts'
import { aBudget, aPod, aSpec, aWorkload } from '../../support/roll-world.ts'

const HASH = 'pod-template-hash'
const LABELS = { app: 'cart', [HASH]: 'abc' }
const by = (matchLabels: Readonly<Record<string, string>>) => ({ matchLabels, matchExpressions: [] })
const set = aWorkload({ controller: { kind: 'Deployment', name: 'cart', uid: 'uid-d' }, selector: by(LABELS) })
const service: Service = {
  namespace: 'shop',
  name: 'cart',
  type: 'NodePort',
  selector: { app: 'cart' },
  externalTrafficPolicy: 'Cluster',
  internalTrafficPolicy: 'Cluster',
  nodePorts: [30080],
}
const pod = aPod('cart-a', 'n1', { labels: LABELS })
const ground: PoliteReading = { workloads: [set], budgets: [], services: [service], slices: [] }
const sliceOf = (serviceName: string): EndpointSlice => ({
  ...{ namespace: 'shop', name: `${serviceName}-1`, serviceName, ports: [8080] },
  endpoints: [{ addresses: ['10.0.0.9'], ready: true, serving: true, terminating: false, podUid: pod.uid }],
})
const controlledBy = (kind: string): Partial<Pod> => ({ controller: { kind, name: 'cart', uid: 'uid-other' } })

const ROWS: readonly (readonly [string, Partial<Pod>, Partial<PoliteReading>, RegExp | undefined])[] = [
  ['a pod of a Deployment can', {}, {}, undefined],
  ['one that no Service selects can', {}, { services: [] }, undefined],
  ['one under a budget that allows no eviction can', {}, { budgets: [aBudget({ maxUnavailable: '0' })] }, undefined],
  [
    'one under two budgets that its Service’s label selects can',
    {},
    { budgets: [aBudget(), aBudget({ name: 'b' })] },
    undefined,
  ],
  [
    'one of another namespace’s Services can',
    {},
    { services: [{ ...service, namespace: 'x', selector: LABELS }] },
    undefined,
  ],
  ['one of a StatefulSet cannot', controlledBy('StatefulSet'), {}, /^its controller is a StatefulSet/],
  ['one of a Job cannot', controlledBy('Job'), {}, /^its controller is a Job/],
  ['one of an unknown ReplicaSet cannot', controlledBy('ReplicaSet'), {}, /^no Deployment controls/],
  [
    'one of a ReplicaSet without a Deployment cannot',
    {},
    { workloads: [{ ...set, controller: { kind: 'Rollout', name: 'r', uid: 'r' } }] },
    /^no Deployment controls/,
  ],
  [
    'one whose ReplicaSet has no label of its own cannot',
    {},
    { workloads: [{ ...set, selector: by({ app: 'cart' }) }] },
    /does not select by pod-template-hash$/,
  ],
  [
    'one that a slice of a Service without a selector names cannot',
    {},
    { services: [service, { ...service, name: 'ext', selector: {} }], slices: [sliceOf('ext')] },
    /^EndpointSlice shop\/ext-1 names it for Service ext, which has no selector$/,
  ],
  ['one that a slice of its own Service names can', {}, { slices: [sliceOf('cart')] }, undefined],
  ['one with a volume cannot', { claims: ['data'] }, {}, /^it has a volume/],
  ['one of a NodeGuard cannot', { labels: { ...LABELS, 'evenkeel.dev/guard': 'g' } }, {}, /NodeGuard/],
  [
    'one whose Service selects by the hash cannot',
    {},
    { services: [service, { ...service, name: 'one', selector: LABELS }] },
    /^Service shop\/one selects by pod-template-hash$/,
  ],
  [
    'one whose budget selects by the hash cannot',
    {},
    { budgets: [aBudget({ selector: by(LABELS) })] },
    /^budget shop\/cart selects by pod-template-hash$/,
  ],
  [
    'one that another ReplicaSet would take over cannot',
    {},
    { workloads: [set, aWorkload({ name: 'greedy', uid: 'g', selector: by({ app: 'cart' }) })] },
    /^ReplicaSet shop\/greedy would take it over/,
  ],
  [
    'one that stays under two budgets cannot',
    { labels: { ...LABELS, team: 'a' } },
    { budgets: [aBudget({ selector: by({ team: 'a' }) }), aBudget({ name: 'b', selector: by({ team: 'a' }) })] },
    /^it is under budgets shop\/cart and shop\/b$/,
  ],
  ['one without a controller cannot', { controller: undefined } as never, {}, /^it has no controller/],
]

for (const [title, change, around, expected] of ROWS) {
  test(`leave politely: ${title}`, () => {
    const why = whyNotPolite({ ...ground, ...around }, { ...pod, ...change })
    if (expected === undefined) assert.equal(why, undefined)
    else assert.match(why ?? 'it can', expected)
  })
}

test('a pod is chosen by its labels before the drain, in the namespaces that the entry names', () => {
  const entry = { selector: by({ app: 'cart' }), namespaces: ['shop'], leaveAfterMs: 6_000 }
  const drain = { ...aSpec().drain, polite: [entry] }
  const mark = { version: 1, run: 'r', node: 'n1', workload: 'Deployment shop/cart', labels: LABELS } as const
  const leaving = { ...pod, labels: { app: 'evenkeel-leaving', [HASH]: 'evenkeel-leaving' }, polite: mark }
  assert.deepEqual(
    [pod, leaving, { ...pod, namespace: 'other' }, { ...pod, labels: {} }].map(
      (one) => politeSpec(one, drain) === entry,
    ),
    [true, true, false, false],
  )
})
