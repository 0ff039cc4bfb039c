import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExplainFinding } from '../../../src/explain/decide/finding.ts'
import { podLeaving } from '../../../src/explain/decide/pod-leaving.ts'
import { PLAIN_DRAIN, type PodScene } from '../../../src/explain/decide/pod-scene.ts'
import type { EvictionAnswer } from '../../../src/ground/model/eviction.ts'
import type { Pod, PodEnding } from '../../../src/ground/model/pod.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { plain } from '../../support/plain.ts'
import { aBudget, aPod } from '../../support/roll-world.ts'

const NOW = wallMs(Date.parse('2026-01-01T00:10:00Z'))

const scene = (pod: Partial<Pod>, more: Partial<PodScene> = {}, ending?: PodEnding): PodScene => ({
  now: NOW,
  seen: { pod: aPod('cart-0', 'n1', { ...pod, ...(ending === undefined ? {} : { ending }) }), waiting: [] },
  nodeReady: 'True',
  budgets: [],
  drain: PLAIN_DRAIN,
  ...more,
})

const said = ({ is, code, text }: ExplainFinding): string => `${is} ${code}: ${text}`

const BUDGET = { budget: 'cart', need: 2, have: 2 }

/** What the API server answered, and what is said of it. */
const ANSWERS: readonly (readonly [EvictionAnswer, string])[] = [
  [{ kind: 'accepted' }, 'fact MayLeave: shop/cart-0 may be evicted now'],
  [{ kind: 'gone' }, 'fact MayLeave: shop/cart-0 may be evicted now'],
  [
    { kind: 'budget', refusal: BUDGET },
    'waits BudgetExhausted: shop/cart-0 cannot be evicted, because budget shop/cart needs 2 healthy pods and has 2 of 3',
  ],
  [
    { kind: 'budgetStale', refusal: { budget: 'cart' } },
    'waits BudgetExhausted: shop/cart-0 cannot be evicted, because budget shop/cart needs 2 healthy pods and has 2 of 3',
  ],
  [
    { kind: 'budgetBroken', refusal: BUDGET, text: 'failed sync' },
    'stuck BudgetBroken: shop/cart-0: budget cart cannot be computed: failed sync',
  ],
  [{ kind: 'throttled' }, 'waits Throttled: the API server is busy; the eviction of shop/cart-0 is tried again'],
  [
    { kind: 'putOff', text: 'a webhook' },
    'waits EvictionPutOff: the eviction of shop/cart-0 is put off, and tried again: a webhook',
  ],
  [{ kind: 'namespaceTerminating' }, 'waits NamespaceTerminating: the namespace of shop/cart-0 is being deleted'],
  [
    { kind: 'twoBudgets', text: 'x' },
    'stuck TwoBudgets: shop/cart-0 is under more than one budget, which eviction does not support',
  ],
  [
    { kind: 'passing', text: 'HTTP 503' },
    'waits EvictionFailed: the eviction of shop/cart-0 failed and is tried again: HTTP 503',
  ],
  [
    { kind: 'refused', status: 403, text: 'no' },
    'stuck EvictionRefused: the eviction of shop/cart-0 is refused (403): no',
  ],
]

for (const [answer, text] of ANSWERS)
  test(`the answer ${answer.kind} to an eviction is said with its evidence and what would change it`, () => {
    const [found, ...more] = podLeaving(scene({}, { answer, budgets: [aBudget()] }))
    assert.ok(found)
    assert.deepEqual([said(found), more], [text, []])
    assert.match(found.evidence[0] ?? '', /^a dry run of its eviction /)
    assert.equal(
      found.evidence[1],
      'budget shop/cart: minAvailable 2 of 3 pods, so 2 must be healthy; 2 are healthy now, so 0 may be away',
    )
    assert.equal(found.next.length > 0, found.is !== 'fact')
  })

test('without a dry run the numbers of the budgets decide, and what is in no budget may leave', () => {
  const byNumbers = (pod: Partial<Pod>, budget: Parameters<typeof aBudget>[0]): string | undefined =>
    podLeaving(scene(pod, { budgets: [aBudget(budget)] }))[0]?.code
  assert.equal(byNumbers({}, { disruptionsAllowed: 1 }), 'MayLeave')
  assert.equal(byNumbers({}, {}), 'BudgetExhausted')
  assert.equal(byNumbers({ ready: false }, {}), 'MayLeave', 'not Ready, and the budget has what it needs')
  assert.equal(byNumbers({ ready: false }, { currentHealthy: 1 }), 'BudgetExhausted')
  assert.equal(byNumbers({ ready: false }, { currentHealthy: 1, unhealthyPods: 'AlwaysAllow' }), 'MayLeave')
  assert.equal(byNumbers({ phase: 'Pending' }, {}), 'MayLeave')
  assert.equal(byNumbers({}, { namespace: 'other' }), 'MayLeave')
  const { budgets: _, ...unread } = scene({})
  assert.equal(podLeaving(unread)[0]?.code, 'EvictionUnknown')
})

test('a budget that never allows one is stuck, and one that is spent for a moment waits', () => {
  const of = (change: Parameters<typeof aBudget>[0]) => podLeaving(scene({}, { budgets: [aBudget(change)] }))[0]
  const never = of({ expectedPods: 2 })
  assert.deepEqual(plain([never?.is, never?.next[0]?.command]), [
    'stuck',
    'kubectl -n shop edit poddisruptionbudget cart',
  ])
  const ill = of({})
  assert.deepEqual(plain([ill?.is, ill?.next[0]]), [
    'waits',
    {
      command: 'kubectl -n shop get pods -o wide -l app=cart',
      note: 'which pod of the budget is not healthy; repair that one',
    },
  ])
  assert.equal(of({ currentHealthy: 3 })?.next[0]?.note, 'wait: another pod of the budget is on its way out')
})

test('a budget that an operator keeps is left to it, whatever its pods are of', () => {
  const controller = { kind: 'CephCluster', name: 'rook-ceph', uid: 'uid-ceph' }
  const found = podLeaving(scene({}, { budgets: [aBudget({ maxUnavailable: '0', controller })] }))[0]
  assert.deepEqual(plain([found?.is, found?.next]), [
    'waits',
    [
      {
        command: 'kubectl -n shop describe poddisruptionbudget cart',
        note: 'wait until the operator of CephCluster rook-ceph opens it; it protects the data of the pod, so do not edit it',
      },
    ],
  ])
})

test('one more replica is advised only where it lets a pod go', () => {
  const noteOf = (rule: Parameters<typeof aBudget>[0]) => {
    const { minAvailable: _, ...budget } = aBudget({ desiredHealthy: 1, currentHealthy: 1, expectedPods: 1 })
    return podLeaving(scene({}, { budgets: [{ ...budget, ...rule }] }))[0]?.next[0]?.note
  }
  const change = 'let budget shop/cart allow one pod to be away'
  assert.equal(noteOf({ minAvailable: '1' }), `${change}, or run one more replica`)
  assert.equal(noteOf({ minAvailable: '50%' }), `${change}, or run one more replica`)
  assert.equal(noteOf({ minAvailable: '80%' }), change)
  assert.equal(noteOf({ minAvailable: '2', desiredHealthy: 2 }), change)
  assert.equal(noteOf({ maxUnavailable: '0' }), change)
})

test('a pod without a controller is refused beside what its budget says; a roll that deletes such pods moves it', () => {
  const { controller: _, ...pod } = aPod('cart-0', 'n1')
  const bare = (more: Partial<PodScene>) => podLeaving({ ...scene({}, more), seen: { pod, waiting: [] } })
  assert.deepEqual(
    bare({ budgets: [aBudget()] }).map(({ code }) => code),
    ['PodUnmanaged', 'BudgetExhausted'],
  )
  const drain = { ...PLAIN_DRAIN, deleteUnmanaged: true }
  assert.deepEqual(
    bare({ drain }).map(({ code }) => code),
    ['MayLeave'],
  )
})

test('data in an emptyDir is a fact where a person drains, who has a flag for it', () => {
  const codes = podLeaving(scene({ usesEmptyDir: true })).map(({ is, code }) => `${is} ${code}`)
  assert.deepEqual(codes, ['fact MayLeave', 'fact PodEmptyDir'])
})

const DUE = '2026-01-01T00:09:00Z'
const LATER = '2026-01-01T00:10:20Z'

const ENDINGS: readonly (readonly [string, PodEnding, PodScene['nodeReady'], string])[] = [
  [
    'in its grace',
    { due: LATER, graceSeconds: 30, finalizers: ['example.com/a'] },
    'True',
    'waits PodLeaving: shop/cart-0 is leaving, and may take 20 s more',
  ],
  [
    'past its grace by no more than clocks differ',
    { due: '2026-01-01T00:09:56Z', graceSeconds: 30, finalizers: [] },
    'True',
    'waits PodLeaving: shop/cart-0 is leaving, and may take 0 ms more',
  ],
  [
    'past its grace',
    { due: DUE, graceSeconds: 30, finalizers: [] },
    'True',
    'stuck PodOverdue: shop/cart-0 was to end 1 min ago, and the kubelet of n1 has not ended it',
  ],
  [
    'ended, with a finalizer',
    { due: DUE, graceSeconds: 0, finalizers: ['example.com/a', 'b/c'] },
    'True',
    'stuck PodFinalizer: shop/cart-0 has ended and is kept by its finalizers example.com/a, b/c',
  ],
  [
    'on a node that does not report',
    { due: DUE, graceSeconds: 30, finalizers: [] },
    'Unknown',
    'stuck NodeUnreachable: shop/cart-0 is being deleted, and n1 is not Ready, so no kubelet says that it has ended',
  ],
  [
    'ended with a finalizer, on a node that does not report',
    { due: DUE, graceSeconds: 0, finalizers: ['b/c'] },
    'False',
    'stuck PodFinalizer: shop/cart-0 has ended and is kept by its finalizer b/c',
  ],
]

for (const [name, ending, nodeReady, text] of ENDINGS)
  test(`a pod that is being deleted, ${name}, is distinguished`, () => {
    const more = nodeReady === undefined ? {} : { nodeReady }
    const found = podLeaving(scene({ terminating: true, claims: ['data'] }, more, ending))
    assert.deepEqual(found.map(said), [text])
    assert.match(found[0]?.evidence[0] ?? '', /^deletionTimestamp /)
  })
