import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainNode } from '../../../src/explain/decide/explain-node.ts'
import type { NodeScene, RunScene } from '../../../src/explain/decide/node-scene.ts'
import { PLAIN_DRAIN } from '../../../src/explain/decide/pod-scene.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import type { SeenSlot } from '../../../src/ground/model/slot.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { CheckedIngress } from '../../../src/ingress/decide/ingress-kind.ts'
import { evictionRefusal } from '../../../src/roll/decide/drain/budget-reasons.ts'
import { budgetStatus } from '../../../src/service/decide/budget/budget-status.ts'
import { readGuard } from '../../guard/decide/read-guard.ts'
import { anIngress } from '../../support/ingress-world.ts'
import { plain } from '../../support/plain.ts'
import { aBudget, aNode, aPod, aRecord, NEW_BOOT } from '../../support/roll-world.ts'

const NOW = wallMs(Date.parse('2026-01-01T00:10:00Z'))
const RUN = aRecord().run

const scene = (node: Partial<Node> = {}, more: Partial<NodeScene> = {}): NodeScene => ({
  ...{ now: NOW, node: aNode('n1', node), pods: [], guards: [], ingresses: [] },
  ...more,
})

const recorded = { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord()) } }

const slotOf = (change: Partial<SeenSlot> = {}): SeenSlot => ({
  ...{ index: 0, owner: { holder: `${RUN}/a`, run: RUN, node: 'n1' }, isStale: false },
  ...{ renewTime: '2026-01-01T00:09:50Z', durationMs: 120_000 },
  ...change,
})

const budget = (node: Partial<Node>, slots: readonly SeenSlot[] = []) =>
  budgetStatus({
    ...{ namespace: 'evenkeel', nodes: [aNode('n1', node), aNode('n2'), aNode('n3')], unread: [], cordons: 'noBrake' },
    ...{ slots, renewed: new Set(), wall: NOW },
  })

const run = (change: Partial<RunScene>): RunScene => ({
  ...{ run: RUN, running: true, node: 'waiting', inWork: [], waiting: ['n1'] },
  ...change,
})

const first = (s: NodeScene): string => {
  const { state, findings } = explainNode(s)
  return `${state} ${findings[0]?.is} ${findings[0]?.code}`
}

test('whether the run that has a node lives is known by its journal here, by its slot, or not at all', () => {
  const rows: readonly (readonly [Partial<NodeScene>, string])[] = [
    [{}, 'InWork waits RecordOfRun'],
    [{ budget: budget(recorded) }, 'LeftBehind stuck LeftBehind'],
    [{ budget: budget(recorded, [slotOf()]) }, 'InWork waits RecordOfRun'],
    [{ budget: budget(recorded, [slotOf({ renewTime: '2026-01-01T00:00:00Z' })]) }, 'LeftBehind stuck LeftBehind'],
    [{ budget: budget(recorded, [slotOf({ isStale: true })]) }, 'LeftBehind stuck LeftBehind'],
    [
      { budget: budget(recorded, [slotOf({ owner: { holder: 'r', run: `${RUN}+ab`, node: 'n1' } })]) },
      'InWork waits RecordOfRun',
    ],
    [
      { budget: budget(recorded, [slotOf({ owner: { holder: 'o', run: 'other', node: 'n1' } })]) },
      'LeftBehind stuck LeftBehind',
    ],
    [{ budget: budget(recorded), run: run({ node: 'inWork' }) }, 'InWork waits RecordOfRun'],
    [{ budget: budget(recorded, [slotOf()]), run: run({ running: false }) }, 'LeftBehind stuck LeftBehind'],
    [{ budget: budget(recorded, [slotOf()]), run: run({ run: 'other', running: false }) }, 'InWork waits RecordOfRun'],
  ]
  for (const [more, expected] of rows) assert.equal(first(scene(recorded, more)), expected)
})

test('the hold of a run at the node is the cause, with its step and what would change it', () => {
  const reason = { code: 'LastUsableServer', text: 'web/n1 is the last usable server', object: 'web/n1' } as const
  const work = { name: 'n1', step: 'cordon', stepForMs: 60_000, hold: { reasons: [reason], forMs: 50_000 } } as const
  const { verdict, findings } = explainNode(scene({}, { run: run({ node: 'inWork', inWork: [work] }) }))
  assert.equal(verdict, 'n1 is being rolled: web/n1 is the last usable server')
  assert.deepEqual(findings[0]?.evidence, [
    `run ${RUN} has been in step cordon (3 of 11) of n1 for 1 min, held for 50 s`,
  ])
  assert.equal(findings[0]?.next[0]?.note, 'what LastUsableServer means: docs/troubleshooting.md#lastusableserver')
})

test('an intent is reported with the boot id of the node', () => {
  const intent = (bootId: string) => JSON.stringify({ version: 1, run: RUN, bootId, at: '2026-01-01T00:05:00Z' })
  const evidence = (bootId: string): string | undefined =>
    explainNode(
      scene({ annotations: { ...recorded.annotations, 'evenkeel.dev/intent': intent(bootId) } }),
    ).findings[0]?.evidence.find((one) => one.startsWith('its reboot'))
  assert.match(evidence(NEW_BOOT) ?? '', /it has rebooted since/)
  assert.match(evidence(aNode('n1').bootId) ?? '', /it has not rebooted since/)
})

test('a roll that has ended or is through with the node takes nothing out', () => {
  const of = (change: Partial<RunScene>): string => explainNode(scene({}, { run: run(change) })).verdict
  const quiet = 'n1 is in service; nothing takes it out'
  assert.equal(of({ node: 'ended', state: 'back in service' }), quiet)
  assert.equal(of({ node: 'notInRun' }), quiet)
  assert.equal(of({ running: false, end: { outcome: 'completed', reasons: [] } }), quiet)
  assert.equal(of({ running: false, end: { outcome: 'held', reasons: [] } }), quiet)
  assert.match(of({ running: false }), /^n1 is in service and not next: run \S+ is not at work: its process is gone/)
})

const states: readonly (readonly [string, Partial<Node>, string])[] = [
  [
    'the taint of the autoscaler',
    { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] },
    'Draining',
  ],
  ['a deletion', { deleting: true }, 'Draining'],
  ['a condition that announces a drain', { lifecycle: ['DrainInProgress'] }, 'Draining'],
  ['a claim that cannot be read', { annotations: { 'evenkeel.dev/maintenance': '?' } }, 'Claimed'],
  ['a record that cannot be read', { annotations: { 'evenkeel.dev/record': '?' } }, 'LeftBehind'],
  ['Ready False, and a cordon', { ready: 'False', unschedulable: true }, 'NotReady'],
]

for (const [name, node, state] of states)
  test(`by ${name} a node is ${state}, and the first finding says why`, () => {
    const { findings, ...explained } = explainNode(scene(node))
    assert.equal(explained.state, state)
    assert.notEqual(findings[0]?.is, 'fact', JSON.stringify(findings))
  })

test('the label that keeps a node out of load balancers takes a worker out, and is usual on a control plane', () => {
  const label = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' }
  assert.match(explainNode(scene({ labels: label })).verdict, /^n1 is Ready and does not serve: n1 has a label/)
  const control = { ...label, 'node-role.kubernetes.io/control-plane': '' }
  assert.equal(explainNode(scene({ labels: control })).verdict, 'n1 is in service; nothing takes it out')
})

test('a node that a run has out tells why, where the run has a reason', () => {
  const why = { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord({ reason: 'CVE-2026-1234' })) } }
  const evidenceOf = (node: Partial<Node>) => explainNode(scene(node)).findings[0]?.evidence ?? []
  assert.ok(evidenceOf(why).includes(`the reason of run ${RUN}: CVE-2026-1234`))
  assert.ok(!evidenceOf(recorded).some((text) => text.startsWith('the reason')))
})

test('a claim of a roll without its record is left behind, and one with it is reported by the record alone', () => {
  const claims = JSON.stringify({ version: 2, claims: [{ owner: `roll/${RUN}`, id: 'a' }] })
  const annotations = { 'evenkeel.dev/maintenance': claims }
  assert.equal(first(scene({ annotations })), 'Claimed stuck ClaimLeft')
  const both = { annotations: { ...annotations, ...recorded.annotations } }
  assert.equal(first(scene(both, { budget: budget(both, [slotOf()]) })), 'InWork waits RecordOfRun')
})

test('a node that may be out itself is not kept in by the budget, and another one that may be out is counted', () => {
  const cordoned = { unschedulable: true }
  const view = (node: Partial<Node>, other: Partial<Node>) =>
    budgetStatus({
      ...{ namespace: 'evenkeel', nodes: [aNode('n1', node), aNode('n2', other), aNode('n3')], unread: [] },
      ...{ cordons: 'noBrake', slots: [], renewed: new Set(), wall: NOW },
    })
  const of = (s: NodeScene): readonly string[] =>
    explainNode(s)
      .findings.filter(({ part }) => part === 'budget')
      .map(({ is, code }) => `${is} ${code}`)
  assert.deepEqual(of(scene(cordoned, { budget: view(cordoned, {}) })), ['fact MayCountAsOut'])
  assert.deepEqual(of(scene({}, { budget: view({}, cordoned) })), ['waits BudgetUsedUp'])
})

test('what a roll and a dry run say of one pod stands once, with what both have seen', () => {
  const pod = aPod('cart-0', 'n1')
  const budgets = [aBudget({ expectedPods: 2 })]
  const answer = { kind: 'budget', refusal: { budget: 'cart', need: 2, have: 2 } } as const
  const reason = evictionRefusal(pod, answer, budgets)
  const work = { name: 'n1', step: 'drain', hold: { reasons: [reason], forMs: 5_000 } } as const
  const pods = [{ now: NOW, seen: { pod, waiting: [] }, budgets, answer, drain: PLAIN_DRAIN }]
  const { findings } = explainNode(scene({}, { pods, run: run({ node: 'inWork', inWork: [work] }) }))
  const said = findings.filter(({ code }) => code === 'BudgetExhausted')
  assert.equal(said.length, 1)
  assert.deepEqual(
    said[0]?.evidence.map((one) => one.split(' ').slice(0, 3).join(' ')),
    [`run ${RUN} is`, 'a dry run', 'budget shop/cart: minAvailable'],
  )
})

test('a slot that was left behind is named with the command that releases it', () => {
  const slots = [slotOf({ isStale: true, owner: { holder: 'x/a', run: 'x', node: 'n2' } })]
  const view = budget({}, slots)
  const { findings } = explainNode(scene({}, { budget: { ...view, more: 0 } }))
  const used = findings.find(({ code }) => code === 'BudgetUsedUp')
  assert.match(
    plainText(used?.next[0]?.command ?? ''),
    /^kubectl -n evenkeel patch lease evenkeel-slot-0 --type json -p /,
  )
})

test('a node that bears the mark of a roll is said to come later, with the command that takes the mark off', () => {
  const taints = [{ key: 'evenkeel.dev/to-be-rolled', value: 'run-9', effect: 'PreferNoSchedule' }]
  const finding = explainNode(scene({ taints })).findings.find(({ code }) => code === 'ToCome')
  assert.deepEqual(plain([finding?.text, finding?.next.map(({ command }) => command)]), [
    'run run-9 begins n1 later, so new pods go to other nodes where they can',
    ['kubectl taint nodes n1 evenkeel.dev/to-be-rolled-'],
  ])
})

test('the owner of a claim is gone only where the IngressDaemonSets of both API groups were read', () => {
  const annotations = {
    'evenkeel.dev/maintenance': JSON.stringify({ version: 2, claims: [{ owner: 'ingress/edge.web', id: 'a' }] }),
  }
  assert.equal(first(scene({ annotations })), 'Claimed stuck ClaimLeft')
  assert.doesNotMatch(first(scene({ annotations }, { areIngressesWhole: false })), /ClaimLeft/)
})

const OF_WEB = { version: 2, claims: [{ owner: 'ingress/edge.web', id: 'a' }] }
const web = (message: string): CheckedIngress => ({
  ...anIngress(),
  ...{ findings: [], createdAt: wallMs(0) },
  status: {
    fields: { nodes: [{ name: 'n1', state: 'Maintenance', reason: 'OthersAtWork', message }] },
    conditions: [],
  },
})

test('a NodeGuard that holds a drain is the cause, and not the claim of an IngressDaemonSet that made room for it', () => {
  const held = { name: 'n1', state: 'Held', reason: 'HoldStands', message: 'n1 is held by volumes' }
  const guard = readGuard({ status: { desiredNodes: 3, nodes: [held] } })
  const node = { unschedulable: true, annotations: { 'evenkeel.dev/maintenance': JSON.stringify(OF_WEB) } }
  const ingresses = [web('others work on n1; it comes back once it is uncordoned')]
  const { state, verdict } = explainNode(scene(node, { guards: [guard], ingresses }))
  assert.deepEqual(
    [state, verdict.includes('NodeGuard data/storage: n1 is held by volumes')],
    ['Draining', true],
    verdict,
  )
  assert.equal(explainNode(scene({ ...node, unschedulable: false }, { guards: [guard], ingresses })).state, 'Claimed')
})
