import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockedLimit, stuckLimitLeftMs } from '../../../src/core/roll/blocked.ts'
import { decide } from '../../../src/core/roll/decide.ts'
import type { Evidence } from '../../../src/core/roll/evidence.ts'
import type { NodeSnapshot } from '../../../src/core/roll/node-snapshot.ts'
import { observe } from '../../../src/core/roll/observe.ts'
import type { EvictionAnswer } from '../../../src/model/eviction.ts'
import type { Pod } from '../../../src/model/pod.ts'
import type { Reason } from '../../../src/model/reason.ts'
import type { BlockedSpec } from '../../../src/model/roll-spec.ts'
import type { Service } from '../../../src/model/service.ts'
import { monoMs } from '../../../src/model/time.ts'
import type { Workload } from '../../../src/model/workload.ts'
import { out } from '../../support/roll-stages.ts'
import { aBudget, aPod, aRecord, aSnapshot, aSpec, aWorkload, detachedEvidence } from '../../support/roll-world.ts'

const NOW = 1_000_000
const LABELS = { app: 'cart', 'pod-template-hash': 'abc' }
const DEPLOYMENT = 'Deployment shop/cart'
const set = aWorkload({
  controller: { kind: 'Deployment', name: 'cart', uid: 'uid-deployment' },
  selector: { matchLabels: LABELS, matchExpressions: [] },
  desired: 1,
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
const cart = aPod('cart-a', 'n1', { labels: LABELS })
const { controller: _none, ...lonely } = aPod('cart-a', 'n1')
const mark = { version: 1, run: 'run-1', node: 'n1', workload: DEPLOYMENT, labels: LABELS } as const
const released = { ...cart, labels: { app: 'cart', 'pod-template-hash': 'evenkeel-leaving' }, polite: mark }
const refusal: EvictionAnswer = { kind: 'budget', refusal: { budget: 'cart', need: 1, have: 1 } }

const ALL: BlockedSpec = {
  selector: { matchLabels: { app: 'cart' }, matchExpressions: [] },
  waitMs: 120_000,
  surgeMs: 300_000,
  askMs: 3_600_000,
  delete: true,
}
const only = (change: Partial<BlockedSpec>): BlockedSpec =>
  ({ ...ALL, surgeMs: undefined, askMs: undefined, delete: false, ...change }) as BlockedSpec

interface Case {
  readonly pods?: readonly Pod[]
  readonly ladder?: BlockedSpec
  /** How long ago its eviction was refused first; absent: it was not tried. */
  readonly forMs?: number
  readonly answer?: EvictionAnswer
  /** The last refusal is younger than the pause after it. */
  readonly pauses?: true
  readonly evidence?: Partial<Evidence>
  readonly workloads?: readonly Workload[]
  readonly services?: readonly Service[]
  readonly healthy?: number
}

function snapshot({
  pods = [cart],
  ladder = ALL,
  forMs,
  answer = refusal,
  pauses,
  evidence,
  ...world
}: Case): NodeSnapshot {
  const { workloads = [set, deployment], services = [service], healthy = 1 } = world
  const uid = cart.uid
  const refused: Partial<Evidence> =
    forMs === undefined
      ? {}
      : {
          blocked: { [uid]: { since: monoMs(NOW - forMs) } },
          evictions: { [uid]: answer },
          retries: { [`evict ${uid}`]: { failures: 1, notBefore: monoMs(NOW + (pauses ? 400 : 0)), error: 'budget' } },
        }
  const base = aSnapshot({
    ...out,
    record: aRecord({ workloads: { [DEPLOYMENT]: 1 } }),
    workloads,
    pods,
    budgets: [aBudget({ minAvailable: '1', currentHealthy: healthy, desiredHealthy: 1, expectedPods: 1 })],
    evidence: {
      ...detachedEvidence(),
      firstSeen: pods.map((pod) => pod.uid),
      stuckStep: 'drain',
      ...refused,
      ...evidence,
    },
  })
  return {
    ...base,
    spec: aSpec({ drain: { ...aSpec().drain, blocked: [ladder] } }),
    cluster: { ...base.cluster, services },
  }
}

function said(world: Case): string {
  const decision = decide(snapshot(world))
  if (decision.kind === 'act') return decision.actions.map(({ kind }) => kind).join(' ')
  return decision.kind === 'settled' ? 'settled' : `hold: ${decision.reasons.map(({ code }) => code).join(' ')}`
}

const ROWS: readonly (readonly [string, Case, string])[] = [
  ['a pod that was not refused is evicted', {}, 'evict'],
  ['on the first rung it is waited for', { forMs: 119_999, pauses: true }, 'hold: BudgetExhausted'],
  ['and evicted again and again', { forMs: 119_999 }, 'evict'],
  ['then a replacement is started first', { forMs: 120_000 }, 'releasePod'],
  [
    'without that rung it is asked about, and evicted as before',
    { forMs: 120_000, ladder: only({ askMs: 1 }) },
    'evict',
  ],
  ['the question', { forMs: 120_000, ladder: only({ askMs: 1 }), pauses: true }, 'hold: AnswerAwaited'],
  [
    'a pod of no Deployment is asked about at once, where its replacement would be started first',
    { forMs: 120_000, pauses: true, workloads: [aWorkload({ desired: 1 })] },
    'hold: AnswerAwaited',
  ],
  [
    'one that is not ready likewise',
    { forMs: 120_000, pauses: true, pods: [{ ...cart, ready: false }] },
    'hold: AnswerAwaited',
  ],
  [
    'one that was let go has its time until its replacement is ready',
    { forMs: 419_999, pods: [released] },
    'hold: ReplacementNotReady',
  ],
  ['then it is asked about', { forMs: 420_000, pods: [released] }, 'hold: AnswerAwaited'],
  [
    'one that was let go goes on when its replacement is ready after all',
    { forMs: 420_000, pods: [released, aPod('cart-b', 'n2', { labels: LABELS })], healthy: 2 },
    'withdrawPod',
  ],
  [
    'one that leaves politely by choice is not deleted while its replacement starts',
    { forMs: 500_000, pods: [released], ladder: only({ delete: true }) },
    'hold: ReplacementNotReady',
  ],
  [
    'but where its budget has none to spare',
    {
      forMs: 500_000,
      pods: [released, aPod('cart-b', 'n2', { labels: LABELS })],
      ladder: only({ delete: true }),
    },
    'deletePod',
  ],
  ['an answer deletes it', { forMs: 420_000, pods: [{ ...released, blockedAnswer: 'delete' }] }, 'deletePod'],
  ['an answer before the question waits for it', { forMs: 1, pods: [{ ...cart, blockedAnswer: 'delete' }] }, 'evict'],
  [
    'where nothing is asked, no answer counts',
    { forMs: 120_000, ladder: only({}), pods: [{ ...cart, blockedAnswer: 'delete' }] },
    'evict',
  ],
  ['an answer that is none deletes nothing', { forMs: 430_000, pods: [{ ...cart, blockedAnswer: 'DELETE' }] }, 'evict'],
  ['without an answer it is asked about to the end', { forMs: 4_019_999, pauses: true }, 'hold: AnswerAwaited'],
  ['and then deleted, as the file says', { forMs: 4_020_000 }, 'deletePod'],
  ['not before its eviction would be tried again', { forMs: 4_020_000, pauses: true }, 'hold: BudgetExhausted'],
  ['and not where the file says nothing', { forMs: 4_020_000, ladder: { ...ALL, delete: false } }, 'evict'],
  ['not because the API server was away', { forMs: 4_020_000, answer: { kind: 'passing', text: '503' } }, 'evict'],
  ['nor because it was busy', { forMs: 4_020_000, answer: { kind: 'throttled' } }, 'evict'],
  [
    'a deletion that is refused is named, and waits',
    {
      forMs: 4_020_000,
      evidence: {
        retries: { [`deletePod ${cart.uid}`]: { failures: 1, notBefore: monoMs(NOW + 400), error: 'forbidden' } },
      },
    },
    'hold: DeleteRefused',
  ],
  ['one that is deleted is not deleted again', { forMs: 4_020_000, answer: { kind: 'accepted' } }, 'hold: PodLeaving'],
  ['no other entry counts', { forMs: 4_020_000, ladder: { ...ALL, namespaces: ['pay'] } }, 'evict'],
  [
    'the pod of a NodeGuard has no ladder',
    { forMs: 4_020_000, pods: [{ ...cart, labels: { ...LABELS, 'evenkeel.dev/guard': 'ceph' } }] },
    'evict',
  ],
  [
    'nor has the pod of an IngressDaemonSet',
    { forMs: 4_020_000, pods: [{ ...cart, labels: { ...LABELS, 'evenkeel.dev/ingress-uid': 'u' } }] },
    'evict',
  ],
  [
    'one that may not be evicted holds the drain on the first rung',
    { forMs: 119_999, pods: [lonely] },
    'hold: PodRefused',
  ],
  ['then it is asked about: nothing would replace it', { forMs: 120_000, pods: [lonely] }, 'hold: AnswerAwaited'],
  [
    'one that has data in an emptyDir is asked about likewise',
    { forMs: 120_000, pods: [{ ...cart, usesEmptyDir: true }] },
    'hold: AnswerAwaited',
  ],
  ['at the end it is deleted', { forMs: 4_020_000, pods: [lonely] }, 'deletePod'],
  [
    'but not while another one holds the drain',
    { forMs: 4_020_000, pods: [lonely, { ...aPod('other', 'n1', { labels: {} }), usesEmptyDir: true }] },
    'hold: PodRefused',
  ],
]

for (const [title, world, expected] of ROWS) {
  test(`blocked drain: ${title}`, () => assert.equal(said(world), expected))
}

test('pods of one workload are deleted one at a time', () => {
  const pods = [cart, aPod('cart-b', 'n1', { labels: LABELS }), aPod('cart-c', 'n2', { labels: LABELS })]
  const both = { ...deployment, desired: 3 }
  const since = { since: monoMs(0) }
  const evidence = {
    blocked: { [cart.uid]: since, 'uid-cart-b': since },
    evictions: { [cart.uid]: refusal, 'uid-cart-b': refusal },
    retries: {},
  }
  const ladder = only({ delete: true })
  assert.equal(said({ pods, ladder, evidence, workloads: [set, both], forMs: 0 }), 'deletePod')
})

const reasonOf = (world: Case): Reason | undefined => decide(snapshot(world)).reasons[0]

test('each rung says what comes next', () => {
  const budget =
    'shop/cart-a, budget shop/cart needs 1 healthy, has 1 of 1; it allows no eviction at all, so waiting alone will not help'
  const answer = 'say delete or wait by its annotation evenkeel.dev/blocked; without an answer in 1 h it is deleted'
  const texts = [
    { forMs: 1, pauses: true },
    { forMs: 1, pauses: true, ladder: only({}) },
    { forMs: 120_000, pods: [released] },
    { forMs: 430_000, pauses: true },
    { forMs: 430_000, pauses: true, pods: [{ ...cart, blockedAnswer: 'yes\u001b[2J' }] },
    { forMs: 430_000, pauses: true, pods: [{ ...cart, blockedAnswer: 'wait' }], workloads: [] },
  ] as const
  assert.deepEqual(
    texts.map((world) => reasonOf(world)?.text),
    [
      `${budget}; it is waited for 2 min, then a replacement is started first`,
      `${budget}; it is waited for 2 min, then the drain is given up`,
      `shop/cart-a stays and serves: ${DEPLOYMENT} has 0 ready of 1 recorded; its replacement has 5 min to be Ready, then an answer is asked for`,
      `${budget}; ${answer}`,
      `${budget}; ${answer}; "yes\\u001b[2J" is no answer`,
      `${budget}; no replacement can be started first, since no Deployment controls its ReplicaSet; ${answer}; the answer wait was heard, and that wait is over: take it off before the next answer`,
    ],
  )
  assert.equal(
    reasonOf({ forMs: 430_000, pauses: true })?.next,
    'kubectl -n shop annotate --overwrite pod cart-a evenkeel.dev/blocked=delete',
  )
})

const stuck = (...stuckReasons: readonly Reason[]): Partial<Evidence> => ({
  stuckSince: monoMs(NOW - 600_000),
  stuckReasons,
})
test('since when a pod may not leave is seen by this process alone, and begins again with the answer wait', () => {
  const since = (world: Case): unknown => observe(snapshot(world)).blocked
  const evictions = { [cart.uid]: refusal }
  assert.deepEqual(since({}), {})
  assert.deepEqual(since({ evidence: { evictions } }), { [cart.uid]: { since: NOW } })
  assert.deepEqual(since({ forMs: 7 }), { [cart.uid]: { since: NOW - 7 } })
  assert.deepEqual(since({ forMs: 7, answer: { kind: 'passing', text: '503' } }), { [cart.uid]: { since: NOW - 7 } })
  assert.deepEqual(since({ forMs: 7, answer: { kind: 'accepted' } }), {})
  assert.deepEqual(since({ evidence: { evictions: { [cart.uid]: { kind: 'throttled' } } } }), {})
  assert.deepEqual(since({ pods: [lonely] }), { [cart.uid]: { since: NOW } })
  assert.deepEqual(since({ pods: [lonely], evidence: { stuckStep: 'detach' } }), {})
  assert.deepEqual(since({ pods: [released] }), { [cart.uid]: { since: NOW } })
  assert.deepEqual(since({ pods: [released], ladder: only({ delete: true }) }), {})
  const held = stuck({ code: 'BudgetExhausted', object: 'shop/cart-a', text: 'a' })
  assert.deepEqual(since({ pods: [released], ladder: only({}), evidence: held }), { [cart.uid]: { since: NOW } })
  const waits = { ...cart, blockedAnswer: 'wait' }
  assert.deepEqual(since({ forMs: 7, pods: [waits] }), { [cart.uid]: { since: NOW, answer: 'wait' } })
  const heard = { blocked: { [cart.uid]: { since: monoMs(NOW - 7), answer: 'wait' } } }
  assert.deepEqual(since({ evidence: heard, pods: [waits] }), heard.blocked)
})

const EXHAUSTED: Reason = { code: 'BudgetExhausted', object: 'shop/cart-a', text: 'a' }

test('the drain is not given up before the last rung of the pods that hold it is over', () => {
  const blocked = { [cart.uid]: { since: monoMs(NOW - 600_000) } }
  const left = (ladder: BlockedSpec, ...reasons: readonly Reason[]): number | undefined =>
    stuckLimitLeftMs(snapshot({ ladder, evidence: { blocked, ...stuck(...reasons) } }))
  assert.equal(left({ ...ALL, delete: false }, EXHAUSTED), 3_420_000)
  assert.equal(left(ALL, EXHAUSTED), 3_420_000 + 600_000)
  assert.equal(left(only({}), EXHAUSTED), 0)
  assert.equal(left(only({ waitMs: 660_000 }), EXHAUSTED), 60_000)
  const coming: Reason = { code: 'ReplacementNotReady', object: 'Deployment shop/pay', text: 'b' }
  assert.equal(left({ ...ALL, delete: false }, EXHAUSTED, coming), 3_420_000)
  const other: Reason = { code: 'BudgetExhausted', object: 'shop/pay-a', text: 'b' }
  assert.equal(left(ALL, EXHAUSTED, other), 0)
  assert.equal(left({ ...ALL, namespaces: ['pay'] }, EXHAUSTED), 0)
  const s = snapshot({ ladder: only({}), evidence: { blocked, ...stuck(EXHAUSTED) } })
  assert.deepEqual(blockedLimit(s), { kind: 'held', keepOut: false, reasons: [EXHAUSTED] })
})
