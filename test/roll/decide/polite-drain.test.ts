import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unschedulable } from '../../../src/ground/kube/unschedulable.ts'
import type { DisruptionBudget } from '../../../src/ground/model/disruption-budget.ts'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { formatPoliteMark, parsePoliteMark } from '../../../src/ground/model/polite-mark.ts'
import type { EndpointSlice, Service } from '../../../src/ground/model/service.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import type { Workload } from '../../../src/ground/model/workload.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { out } from '../../support/roll-stages.ts'
import { aBudget, aPod, aRecord, aSnapshot, aSpec, aWorkload, detachedEvidence } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const LEAVING = 'evenkeel-leaving'
const LABELS = { app: 'cart', 'pod-template-hash': 'abc' }
const DEPLOYMENT = 'Deployment shop/cart'
const NOW = 1_000_000

const set = aWorkload({
  controller: { kind: 'Deployment', name: 'cart', uid: 'uid-deployment' },
  selector: { matchLabels: LABELS, matchExpressions: [] },
})
const deployment = aWorkload({ kind: 'Deployment', uid: 'uid-deployment', desired: 1 })
const service: Service = {
  namespace: 'shop',
  name: 'cart',
  type: 'NodePort',
  selector: { app: 'cart' },
  externalTrafficPolicy: 'Cluster',
  internalTrafficPolicy: 'Cluster',
  nodePorts: [30080],
}
/** Another program writes its endpoints. */
const foreign: Service = { ...service, name: 'ext', selector: {} }
const old = aPod('cart-a', 'n1', { labels: LABELS })
const replacement = aPod('cart-b', 'n2', { labels: LABELS })
const { nodeName: _, ...unplaced } = { ...replacement, phase: 'Pending', ready: false } as const
const mark = { version: 1, run: 'run-1', node: 'n1', workload: DEPLOYMENT, labels: LABELS } as const
/** As long as its ReplicaSet has not heard of it, it still has its controller. */
const released = { ...old, labels: { app: 'cart', 'pod-template-hash': LEAVING }, polite: mark }
const withdrawn = { ...released, labels: { app: LEAVING, 'pod-template-hash': LEAVING } }
const slice: EndpointSlice = {
  namespace: 'shop',
  name: 'cart-x7k2p',
  serviceName: 'cart',
  ports: [8080],
  endpoints: [
    { addresses: ['10.1.0.1'], ready: true, serving: true, terminating: false, nodeName: 'n1', podUid: old.uid },
  ],
}

interface Case {
  readonly pods: readonly Pod[]
  readonly evidence?: Partial<Evidence>
  readonly budgets?: readonly DisruptionBudget[]
  readonly services?: readonly Service[] | undefined
  readonly slices?: readonly EndpointSlice[]
  readonly workloads?: readonly Workload[]
  readonly given?: 'up'
  /** What the API server was like. */
  readonly api?: Pick<NodeSnapshot['cluster'], 'staleForMs' | 'lostAt'>
  /** How many were ready when the node was recorded. */
  readonly recorded?: number
  readonly journalWritable?: boolean
}

function snapshot(world: Case): NodeSnapshot {
  const { pods, evidence, budgets = [], slices = [], workloads = [set, deployment] } = world
  const services = 'services' in world ? world.services : [service]
  const base = aSnapshot({
    ...out,
    record: aRecord({ workloads: { [DEPLOYMENT]: world.recorded ?? 1 } }),
    workloads,
    pods,
    budgets,
    evidence: { ...detachedEvidence(), firstSeen: pods.map(({ uid }) => uid), ...evidence },
  })
  const { drain } = aSpec()
  const polite = [{ selector: { matchLabels: { app: 'cart' }, matchExpressions: [] }, leaveAfterMs: 6_000 }]
  return {
    ...base,
    journalWritable: world.journalWritable ?? true,
    spec: aSpec({ drain: { ...drain, polite } }),
    cluster: { ...base.cluster, slices, ...(services === undefined ? {} : { services }), ...world.api },
    ...(world.given === 'up'
      ? { run: { ...base.run, verdict: { kind: 'aborted', keepOut: false, reasons: [] } } }
      : {}),
  }
}

function said(world: Case): string {
  const decision = decide(snapshot(world))
  if (decision.kind !== 'act') return shortDecision(decision)
  return decision.actions
    .map((action) => ('labels' in action ? `${action.kind} ${JSON.stringify(action.labels)}` : action.kind))
    .join(', ')
}

const gone = { endpointGoneSince: { [old.uid]: monoMs(NOW - 6_000) } }

const STEPS: readonly (readonly [string, Case, string])[] = [
  ['a pod that the file chooses is let go', { pods: [old] }, `releasePod {"pod-template-hash":"${LEAVING}"}`],
  ['one that is not ready is evicted', { pods: [{ ...old, ready: false }] }, 'evict'],
  [
    'one that is written to once more, and not shown anew yet, is waited for',
    { pods: [released], evidence: { relabelled: { [old.uid]: ['1'] } } },
    'hold drain: PodLeaving',
  ],
  [
    'one that is written to, and not shown anew yet, is not written to again, and no other of its workload is',
    { pods: [aPod('cart-0', 'n1', { labels: LABELS }), old], evidence: { relabelled: { [old.uid]: ['1'] } } },
    'hold drain: OneAtATime PodLeaving',
  ],
  ['one that was let go stays until it is replaced', { pods: [released] }, 'hold drain: ReplacementNotReady'],
  [
    'one whose replacement is not ready stays',
    { pods: [released, { ...replacement, ready: false }] },
    'hold drain: ReplacementNotReady',
  ],
  [
    'one whose replacement only this node could take leaves as it did before',
    {
      pods: [
        released,
        {
          ...unplaced,
          unschedulable: unschedulable(
            "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't have free ports for the requested pod ports.",
          ),
        },
      ],
    },
    `withdrawPod {"app":"${LEAVING}"}`,
  ],
  [
    'one whose replacement finds no room stays and serves',
    {
      pods: [
        released,
        {
          ...unplaced,
          unschedulable: unschedulable('0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.'),
        },
      ],
    },
    'hold drain: PoliteNotReplaced',
  ],
  [
    'once it is replaced, it leaves its Services',
    { pods: [released, replacement] },
    `withdrawPod {"app":"${LEAVING}"}`,
  ],
  [
    'a workload that was scaled to none needs no replacement',
    { pods: [released], workloads: [set, { ...deployment, desired: 0 }] },
    `withdrawPod {"app":"${LEAVING}"}`,
  ],
  [
    'a workload that is deleted has no replacement to come',
    { pods: [released], workloads: [] },
    `withdrawPod {"app":"${LEAVING}"}`,
  ],
  [
    'it leaves all its Services at once',
    {
      pods: [{ ...released, labels: { ...released.labels, tier: 'web' } }, replacement],
      services: [service, { ...service, name: 'web', selector: { tier: 'web' } }],
    },
    `withdrawPod {"app":"${LEAVING}","tier":"${LEAVING}"}`,
  ],
  [
    'a budget that has none to spare keeps it in its Services',
    { pods: [released, replacement], budgets: [aBudget({ currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 })] },
    'hold drain: BudgetExhausted',
  ],
  [
    'a budget that allows no eviction is kept by the replacement',
    { pods: [released, replacement], budgets: [aBudget({ currentHealthy: 2, desiredHealthy: 1, expectedPods: 1 })] },
    `withdrawPod {"app":"${LEAVING}"}`,
  ],
  [
    'while it is an endpoint, it stays',
    { pods: [withdrawn, replacement], slices: [slice] },
    'hold drain: EndpointStays',
  ],
  [
    'one that a slice of a Service without a selector names is waited for until the limit',
    { pods: [withdrawn, replacement], services: [service, foreign], slices: [{ ...slice, serviceName: 'ext' }] },
    'hold drain: EndpointForeign',
  ],
  [
    'it serves on for some seconds',
    { pods: [withdrawn, replacement], evidence: { endpointGoneSince: { [old.uid]: monoMs(NOW - 5_999) } } },
    'hold drain: PoliteWait',
  ],
  ['then it is evicted', { pods: [withdrawn, replacement], evidence: gone }, 'evict'],
  [
    'a Service that selects it since is left too',
    {
      pods: [withdrawn, replacement],
      services: [{ ...service, selector: { 'pod-template-hash': LEAVING } }],
      evidence: gone,
    },
    `withdrawPod {"pod-template-hash":"${LEAVING}"}`,
  ],
  [
    'another pod of the workload waits for it',
    { pods: [released, replacement, aPod('cart-c', 'n1', { labels: LABELS })] },
    `withdrawPod {"app":"${LEAVING}"}`,
  ],
  [
    'where the file chooses none any more, it has its labels back',
    { pods: [released, replacement], services: undefined },
    'giveBackPod {"pod-template-hash":"abc"}',
  ],
  [
    'a webhook that refuses its labels is named',
    {
      pods: [old],
      evidence: { retries: { [`releasePod ${old.uid}`]: { failures: 1, notBefore: monoMs(NOW + 400), error: 'no' } } },
    },
    'hold drain: PoliteRefused',
  ],
  [
    'on the way back, one that is not replaced has its labels back',
    { pods: [released], given: 'up' },
    'giveBackPod {"pod-template-hash":"abc"}',
  ],
  [
    'on the way back, none has its labels back by what is known from before the API server went away',
    { pods: [released], given: 'up', api: { staleForMs: 1 } },
    'hold drain: ApiUnreachable',
  ],
  [
    'on the way back, none leaves its Services so soon after an outage that kube-proxy may not follow yet',
    { pods: [released, replacement], given: 'up', api: { staleForMs: 0, lostAt: monoMs(NOW - 74_999) } },
    'hold drain: ApiWasAway',
  ],
  [
    'on the way back, one out of its Services whose replacement fell away has all its labels back',
    { pods: [withdrawn], given: 'up' },
    'giveBackPod {"app":"cart","pod-template-hash":"abc"}',
  ],
  [
    'on the way back, one that is replaced goes on',
    { pods: [released, replacement], given: 'up' },
    `withdrawPod {"app":"${LEAVING}"}`,
  ],
  [
    'on the way back, it waits for the proxies as well',
    { pods: [withdrawn, replacement], given: 'up', slices: [slice] },
    'hold drain: EndpointStays',
  ],
  [
    'on the way back, one that another program sends to has its labels back',
    {
      pods: [withdrawn, replacement],
      services: [service, foreign],
      slices: [{ ...slice, serviceName: 'ext' }],
      given: 'up',
    },
    `giveBackPod ${JSON.stringify(LABELS)}`,
  ],
  ['on the way back, it is evicted', { pods: [withdrawn, replacement], given: 'up', evidence: gone }, 'evict'],
  [
    'on the way back, without a journal, it has its labels back',
    { pods: [released, replacement], given: 'up', journalWritable: false },
    'giveBackPod {"pod-template-hash":"abc"}',
  ],
  [
    'on the way back, a label that was changed by others since is theirs',
    { pods: [{ ...withdrawn, labels: { ...withdrawn.labels, app: 'other' } }], given: 'up' },
    'giveBackPod {"pod-template-hash":"abc"}',
  ],
  [
    'on the way back, the node waits until one that was just let go is shown so',
    { pods: [old], given: 'up', evidence: { relabelled: { [old.uid]: [old.resourceVersion] } } },
    'hold drain: PodLeaving',
  ],
  [
    'on the way back, the node waits for one that was written to twice, where a stream shows it as it was before both',
    { pods: [old], given: 'up', evidence: { relabelled: { [old.uid]: [old.resourceVersion, '5'] } } },
    'hold drain: PodLeaving',
  ],
  ['on the way back, the node waits for no pod that is gone', { pods: [replacement], given: 'up' }, 'uncordon'],
  [
    'on the way back, the node is not kept out for labels that the API refuses',
    {
      pods: [released],
      given: 'up',
      evidence: { retries: { [`giveBackPod ${old.uid}`]: { failures: 5, notBefore: monoMs(NOW + 400), error: 'no' } } },
    },
    'uncordon',
  ],
]

for (const [title, world, expected] of STEPS) {
  test(`polite drain: ${title}`, () => assert.equal(said(world), expected))
}

test('the hold says which pod stays, and what its replacement waits for', () => {
  const image = aPod('cart-b', 'n2', { labels: LABELS, ready: false, waiting: 'ImagePullBackOff: no such image' })
  const quota = { ...deployment, failure: 'pods "cart-b" is forbidden: exceeded quota' }
  const texts = [snapshot({ pods: [released, image] }), snapshot({ pods: [released], workloads: [set, quota] })].map(
    (s) =>
      decide(s)
        .reasons.map(({ code, text }) => `${code}: ${text}`)
        .join(),
  )
  assert.deepEqual(texts, [
    `PoliteNotReplaced: shop/cart-a stays and serves: ${DEPLOYMENT} has 0 ready of 1 recorded; shop/cart-b: ImagePullBackOff: no such image`,
    `PoliteNotReplaced: shop/cart-a stays and serves: ${DEPLOYMENT} has 0 ready of 1 recorded; ${quota.failure}`,
  ])
})

test('the seconds after its endpoint are counted from when it is gone, by this process alone', () => {
  const since = (world: Case): unknown => observe(snapshot(world)).endpointGoneSince
  assert.deepEqual(since({ pods: [withdrawn, replacement] }), { [old.uid]: NOW })
  assert.deepEqual(since({ pods: [withdrawn, replacement], evidence: gone }), gone.endpointGoneSince)
  assert.deepEqual(since({ pods: [withdrawn, replacement], slices: [slice], evidence: gone }), {})
  assert.deepEqual(since({ pods: [released, replacement], evidence: gone }), {})
  assert.equal(since({ pods: [old] }), undefined)
})

test('a workload whose only pod came to be Ready after the record keeps it in its Service until another one is', () => {
  const after = (...pods: readonly Pod[]): Case => ({ pods, recorded: 0 })
  const decision = decide(snapshot(after(old)))
  const [action] = decision.kind === 'act' ? decision.actions : []
  assert.ok(action?.kind === 'releasePod')
  // The next process reads it from the pod.
  const letGo = { ...released, polite: parsePoliteMark(formatPoliteMark(action.mark)) ?? assert.fail('no mark') }
  assert.equal(said(after(letGo)), 'hold drain: ReplacementNotReady')
  assert.equal(said(after(letGo, { ...replacement, ready: false })), 'hold drain: ReplacementNotReady')
  assert.equal(said(after(letGo, replacement)), `withdrawPod {"app":"${LEAVING}"}`)
})
