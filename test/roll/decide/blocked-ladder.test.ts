import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import {
  ALL,
  type BlockedCase,
  blockedSnapshot,
  cart,
  DEPLOYMENT,
  deployment,
  LABELS,
  lonely,
  NOW,
  only,
  refusal,
  released,
  set,
} from '../../support/blocked-world.ts'
import { aPod, aWorkload } from '../../support/roll-world.ts'

function said(world: BlockedCase): string {
  const decision = decide(blockedSnapshot(world))
  if (decision.kind === 'act') return decision.actions.map(({ kind }) => kind).join(' ')
  return decision.kind === 'settled' ? 'settled' : `hold: ${decision.reasons.map(({ code }) => code).join(' ')}`
}

/** No Service selects it any more. */
const withdrawn = { ...released, labels: { ...released.labels, app: 'evenkeel-leaving' } }

const ROWS: readonly (readonly [string, BlockedCase, string])[] = [
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
    'once it is no endpoint any more, it serves on for six seconds, as one that leaves politely by choice does by default',
    {
      ...{ forMs: 420_000, pods: [withdrawn, aPod('cart-b', 'n2', { labels: LABELS })], healthy: 2 },
      evidence: { endpointGoneSince: { [cart.uid]: monoMs(NOW - 5_999) } },
    },
    'hold: PoliteWait',
  ],
  [
    'and then it is evicted',
    {
      ...{ forMs: 420_000, pods: [withdrawn, aPod('cart-b', 'n2', { labels: LABELS })], healthy: 2 },
      evidence: { endpointGoneSince: { [cart.uid]: monoMs(NOW - 6_000) } },
    },
    'evict',
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
  [
    'an annotation with an unknown answer deletes nothing',
    { forMs: 430_000, pods: [{ ...cart, blockedAnswer: 'DELETE' }] },
    'evict',
  ],
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

const reasonOf = (world: BlockedCase): Reason | undefined => decide(blockedSnapshot(world)).reasons[0]

test('each rung says what comes next', () => {
  const budget =
    'shop/cart-a, budget shop/cart needs 1 healthy, has 1 of 1; it allows no eviction at all, so waiting alone will not help'
  const answer = 'set its annotation evenkeel.dev/blocked to delete or wait; without an answer in 1 h it is deleted'
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
      `shop/cart-a stays and serves: ${DEPLOYMENT} has 0 ready of 1 recorded; its replacement has 5 min to be Ready, then the roll waits for an answer`,
      `${budget}; ${answer}`,
      `${budget}; ${answer}; "yes\\u001b[2J" is no answer`,
      `${budget}; no replacement can be started first, since no Deployment controls its ReplicaSet; ${answer}; the answer wait was heard, and that wait is over: take it off before the next answer`,
    ],
  )
  assert.equal(
    plainText(reasonOf({ forMs: 430_000, pauses: true })?.next ?? ''),
    'kubectl -n shop annotate --overwrite pod cart-a evenkeel.dev/blocked=delete',
  )
})
