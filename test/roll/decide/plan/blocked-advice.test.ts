import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DisruptionBudget } from '../../../../src/ground/model/disruption-budget.ts'
import type { Pod } from '../../../../src/ground/model/pod.ts'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { makePlan } from '../../../../src/roll/decide/plan/make-plan.ts'
import { podFindings } from '../../../../src/roll/decide/plan/pod-findings.ts'
import type { BlockedSpec } from '../../../../src/roll/model/roll-spec.ts'
import { aBudget, aPod, aSpec, aWorkload } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const LABELS = { app: 'cart', 'pod-template-hash': 'abc' }
const CART = aPod('cart-a', 'n1', { labels: LABELS })
const { controller: _none, ...LONELY } = CART
const workloads = [
  aWorkload({
    controller: { kind: 'Deployment', name: 'cart', uid: 'uid-deployment' },
    selector: { matchLabels: LABELS, matchExpressions: [] },
    desired: 1,
  }),
  aWorkload({ kind: 'Deployment', uid: 'uid-deployment', desired: 1 }),
]
const one = { minAvailable: '1', desiredHealthy: 1, currentHealthy: 1, expectedPods: 1 }
const SHUT = aBudget(one)
const ENTRY: BlockedSpec = { namespaces: ['shop'], waitMs: 1, delete: false }
const SURGE = { ...ENTRY, surgeMs: 1 }
const ASK = { ...ENTRY, askMs: 1 }
const DELETE = { ...ENTRY, delete: true }

function said(pods: readonly Pod[], blocked: readonly BlockedSpec[], budgets: readonly DisruptionBudget[]): string {
  const spec = aSpec({ drain: { ...aSpec().drain, blocked } })
  return podFindings(planSnapshot({ spec }, { pods, budgets, workloads }), pods)
    .filter(({ code }) => code !== 'SingleReplica')
    .map(({ severity, code, text }) => `${severity} ${code}:${text.split('; by drain.blocked')[1] ?? ''}`)
    .join('; ')
}

const FIRST = ' a replacement is started first'
const HOLDS = ' the roll holds for an answer'
const DELETED = ' in the end such a pod is deleted'

const ROWS: readonly (readonly [
  string,
  readonly Pod[],
  readonly BlockedSpec[],
  readonly DisruptionBudget[],
  string,
])[] = [
  ['without a ladder it blocks', [CART], [], [SHUT], 'block BudgetNever:'],
  ['with one that only waits, too', [CART], [ENTRY], [SHUT], 'block BudgetNever:'],
  ['with one for other pods, too', [CART], [{ ...DELETE, namespaces: ['pay'] }], [SHUT], 'block BudgetNever:'],
  ['a replacement passes a budget over one replica', [CART], [SURGE], [SHUT], `warning BudgetNever:${FIRST}`],
  [
    'and none that asks for more than there will be',
    [CART],
    [SURGE],
    [aBudget({ ...one, minAvailable: '2', desiredHealthy: 2 })],
    'block BudgetNever:',
  ],
  ['nor one that cannot be computed', [CART], [SURGE], [aBudget({ ...one, syncFailed: true })], 'block BudgetBroken:'],
  ['nor two of them', [CART], [SURGE], [SHUT, aBudget({ ...one, name: 'all' })], 'block TwoBudgets:'],
  ['a question may', [CART], [ASK], [SHUT, aBudget({ ...one, name: 'all' })], `hold TwoBudgets:${HOLDS}`],
  ['a deletion does', [CART], [DELETE], [SHUT], `warning BudgetNever:${DELETED}`],
  [
    'a pod that no controller replaces is asked about',
    [LONELY],
    [{ ...ASK, surgeMs: 1 }],
    [],
    `hold PodUnmanaged:${HOLDS}`,
  ],
  ['or deleted', [LONELY], [{ ...DELETE, surgeMs: 1 }], [], `warning PodUnmanaged:${DELETED}`],
  ['no replacement saves data in an emptyDir', [{ ...CART, usesEmptyDir: true }], [SURGE], [], 'error PodEmptyDir:'],
  [
    'one pod without a way is enough',
    [{ ...CART, usesEmptyDir: true }, aPod('pay-a', 'n1', { namespace: 'pay', usesEmptyDir: true })],
    [DELETE],
    [],
    'error PodEmptyDir:',
  ],
]

for (const [title, pods, blocked, budgets, expected] of ROWS) {
  test(`a plan over pods that may not leave: ${title}`, () => assert.equal(said(pods, blocked, budgets), expected))
}

test('a right to delete pods that is missing names the file that grants it', () => {
  const forbidden = [{ verb: 'delete', group: '', resource: 'pods' }]
  const finding = makePlan(planSnapshot({ forbidden })).findings.find(({ code }) => code === 'Forbidden')
  assert.equal(
    plainText(finding?.fix ?? ''),
    'kubectl apply -f deploy/roll-delete-rbac.yaml, and bind it to this identity',
  )
})
