import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { Pod } from '../../../src/ground/model/pod.ts'
import type { SeenSlot } from '../../../src/ground/model/slot.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { makePlan } from '../../../src/roll/decide/plan/make-plan.ts'
import { selectNodes } from '../../../src/roll/decide/plan/select-nodes.ts'
import type { BudgetReading } from '../../../src/service/decide/budget/budget-reading.ts'
import { INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { announced, out } from '../../support/roll-stages.ts'
import { aNode, aPod, aRecord, aServer, aSnapshot, aSpec, drained } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'
import { planSnapshot } from './plan-snapshot.ts'

const PLANE = { 'node-role.kubernetes.io/control-plane': '' }
const ZONE = 'topology.kubernetes.io/zone'

const member = (component: string, node: string, ready = true): Pod =>
  aPod(`${component}-${node}`, node, {
    namespace: 'kube-system',
    mirror: true,
    labels: { component },
    ready,
  })

/** `true`: Ready. */
const members = (component: string, ...ready: readonly boolean[]): readonly Pod[] =>
  ready.map((isReady, i) => member(component, `n${i + 1}`, isReady))

const at = (stage: Parameters<typeof aSnapshot>[0], pods: readonly Pod[]): NodeSnapshot => aSnapshot({ ...stage, pods })

const BEGUN: readonly (readonly [title: string, pods: readonly Pod[], decision: string])[] = [
  ['all members are Ready', members('etcd', true, true, true), 'act record: writeRecord'],
  ['its own member is the broken one', members('etcd', false, true, true), 'act record: writeRecord'],
  ['one of three members is broken elsewhere', members('etcd', true, true, false), 'hold record: EtcdQuorum'],
  ['etcd has two members', members('etcd', true, true), 'hold record: EtcdQuorum'],
  [
    'one of five members is broken elsewhere',
    members('etcd', true, true, true, true, false),
    'hold record: ControlPlaneNotReady',
  ],
  ['the only member is its own', members('etcd', true), 'act record: writeRecord'],
  ['no member is seen', [], 'act record: writeRecord'],
  ['it has no member itself', members('etcd', true, true, false).slice(1), 'act record: writeRecord'],
  [
    'a pod of another namespace is called etcd',
    [{ ...member('etcd', 'n1'), namespace: 'shop' }, member('etcd', 'n2', false)],
    'act record: writeRecord',
  ],
  ['no other API server is Ready', members('kube-apiserver', true, false), 'hold record: LastApiServer'],
  [
    'one of two other API servers is Ready',
    members('kube-apiserver', true, true, false),
    'hold record: ControlPlaneNotReady',
  ],
  ['it has the only API server', members('kube-apiserver', true), 'act record: writeRecord'],
]

for (const [title, pods, decision] of BEGUN) {
  test(`law: no node is begun without which etcd would lose its quorum; before it is begun: ${title}`, () =>
    assert.equal(shortDecision(decide(at({}, pods))), decision))
}

const THREE = members('etcd', true, true, true)
const ETCD_LOST = 'EtcdQuorum etcd has 3 members, 2 of them Ready, and needs 2: without n1 it has no quorum'
const slotFor = (index: number, run: string, node: string): SeenSlot => ({
  index,
  owner: { holder: `${run}/a`, run, node },
  isStale: false,
  renewTime: '2026-01-01T00:00:00Z',
  durationMs: 120_000,
})
const ofRun2 = { [RECORD_ANNOTATION]: JSON.stringify(aRecord({ run: 'run-2' })) }
const claimed = { [MAINTENANCE_ANNOTATION]: formatClaims([{ owner: 'person/anna', id: 'claim-1' }]) }

/** What n1 is held by, with two slots of the budget, while n2 is like that. */
function besideOf(n2: Partial<Node>, slots: readonly SeenSlot[], stage: Parameters<typeof aSnapshot>[0] = out): string {
  const s = at(stage, THREE)
  const budget: BudgetReading = { limit: { kind: 'count', count: 2 }, cordons: 'unknown', slots }
  const nodes = [s.current.node, aNode('n2', n2), aNode('n3')]
  const decision = decide({ ...s, budget, cluster: { ...s.cluster, nodes } })
  return decision.kind === 'hold'
    ? `hold: ${decision.reasons[0]?.code} ${decision.reasons[0]?.text}`
    : shortDecision(decision)
}

const GOING: readonly (readonly [title: string, n2: Partial<Node>, slots: readonly SeenSlot[], why: string])[] = [
  ['bears the record of another run', { annotations: ofRun2 }, [], 'n2 has the record of run run-2'],
  ['is claimed', { annotations: claimed }, [], 'n2 is claimed by person/anna'],
  ['is being deleted', { deleting: true }, [], 'n2 is being deleted'],
  ['is not Ready', { ready: 'Unknown' }, [], 'n2 is not Ready (Ready is Unknown)'],
  [
    'has its reboot announced by a run with a higher slot',
    { annotations: { ...ofRun2, [INTENT_ANNOTATION]: '{}' } },
    [slotFor(0, 'run-1', 'n1'), slotFor(1, 'run-2', 'n2')],
    'n2 has the record of run run-2',
  ],
]

for (const [title, n2, slots, why] of GOING)
  test(`law: no node is begun without which etcd would lose its quorum; a member that still reads Ready is not there where its node ${title}`, () => {
    assert.equal(besideOf(n2, slots), `hold: ${ETCD_LOST}; ${why}`)
  })

test('of two owners that leave with a member each, the one with the lower slot goes on', () => {
  const slots = [slotFor(0, 'run-1', 'n1'), slotFor(1, 'run-2', 'n2')]
  const higher = [slotFor(0, 'run-2', 'n2'), slotFor(1, 'run-1', 'n1')]
  assert.equal(besideOf({}, slots, {}), 'act record: writeRecord')
  assert.equal(besideOf({}, higher, {}), `hold: ${ETCD_LOST}; n2 is about to leave: run run-2 holds slot 0 for it`)
  assert.equal(besideOf({ annotations: ofRun2 }, slots), 'act reboot: writeIntent')
  assert.equal(besideOf({ unschedulable: true }, []), 'act reboot: writeIntent', 'a cordon stops no member')
  const [own = aServer('n1')] = drained()
  const servers = [own, aServer('n2', { adminState: 'drain' }), aServer('n3')]
  assert.equal(besideOf({}, [], { ...out, servers }), 'act reboot: writeIntent', 'nor does a balancer')
})

test('an owner that has begun with a member waits for none that has not begun, whichever slot that one holds', () => {
  const slots = [slotFor(0, 'run-2', 'n2'), slotFor(1, 'run-1', 'n1')]
  const heard = { ...announced, evidence: { ...out.evidence, intentByUs: true } }
  assert.equal(besideOf({}, slots), 'act reboot: writeIntent')
  assert.equal(besideOf({}, slots, heard), 'act reboot: sendReboot')
  const other = [slotFor(0, 'run-1', 'n1'), slotFor(1, 'run-2', 'n2')]
  assert.equal(besideOf({ annotations: ofRun2 }, other, {}), `hold: ${ETCD_LOST}; n2 has the record of run run-2`)
  assert.equal(
    besideOf({ annotations: ofRun2 }, slots),
    `hold: ${ETCD_LOST}; n2 has the record of run run-2`,
    'of two that have begun, the one with the lower slot goes on',
  )
})

test('a member that fails while the node is drained is seen before the reboot is announced, and before it is sent', () => {
  const broken = members('etcd', true, true, false)
  assert.equal(shortDecision(decide(at(out, members('etcd', true, true, true)))), 'act reboot: writeIntent')
  assert.equal(shortDecision(decide(at(out, broken))), 'hold reboot: EtcdQuorum')
  const announced = at({ ...out, announced: true, evidence: { ...out.evidence, intentByUs: true } }, broken)
  assert.equal(shortDecision(decide(announced)), 'hold reboot: EtcdQuorum')
})

test('a reboot that may not have been heard is sent again beside a broken member only where the node itself is not Ready', () => {
  const broken = members('etcd', true, true, false)
  const asked = { at: monoMs(1_000), answer: { kind: 'unknown', text: 'cut' } } as const
  const evidence = { ...out.evidence, awaySince: monoMs(1_000), reboot: asked }
  const again = (ready: Node['ready']): string =>
    shortDecision(decide(at({ ...out, announced: true, node: { ...out.node, ready }, evidence }, broken)))
  assert.equal(again('True'), 'hold reboot: EtcdQuorum')
  assert.equal(again('Unknown'), 'act reboot: sendReboot')
})

const PLANNED = { etcd: ['n1', 'n2', 'n3'], 'kube-apiserver': ['n1', 'n2'] }

test('a member that was there when the roll was planned counts while its pod is missing, as long as its Node is there', () => {
  const next = (pods: readonly Pod[], nodes = ['n1', 'n2', 'n3']): string => {
    const s = at({}, pods)
    const cluster = { ...s.cluster, nodes: nodes.map((name) => aNode(name)) }
    return shortDecision(decide({ ...s, run: { ...s.run, members: PLANNED }, cluster }))
  }
  const all = [...members('etcd', true, true, true), ...members('kube-apiserver', true, true)]
  const without = (...nodes: readonly string[]): readonly Pod[] =>
    all.filter(({ nodeName }) => !nodes.includes(nodeName ?? ''))
  assert.equal(next(all), 'act record: writeRecord')
  assert.equal(next(without('n2', 'n3')), 'hold record: LastApiServer EtcdQuorum')
  assert.equal(next(without('n3')), 'hold record: EtcdQuorum')
  assert.equal(next(without('n2', 'n3'), ['n1']), 'act record: writeRecord')
  assert.equal(next(without('n1')), 'act record: writeRecord')
  assert.equal(next(without('n1', 'n3')), 'hold record: EtcdQuorum')
})

test('law: no node is begun without which etcd would lose its quorum; the plan blocks by the same arithmetic as the step', () => {
  const planes = ['n1', 'n2', 'n3', 'n4', 'n5'].map((name) => aNode(name, { labels: PLANE }))
  const names = ['n1']
  const found = (pods: readonly Pod[]) =>
    makePlan(
      planSnapshot({ spec: aSpec({ nodes: { names, all: false, allowUnbalanced: true } }) }, { nodes: planes, pods }),
    )
      .findings.filter(({ code }) => BEGUN.some(([, , decision]) => decision.endsWith(code)))
      .map(({ severity, code }) => `${severity} ${code}`)
  for (const [title, pods, decision] of BEGUN) {
    const held = decision.startsWith('hold record: ') ? [decision.slice('hold record: '.length)] : []
    assert.deepEqual(
      found(pods).filter((text) => !text.startsWith('warning')),
      held.map((code) => `${code === 'ControlPlaneNotReady' ? 'hold' : 'block'} ${code}`),
      title,
    )
  }
})

const ordered = (...nodes: Parameters<typeof selectNodes>[1]): string =>
  selectNodes(aSpec().nodes, nodes)
    .nodes.map(({ name }) => name)
    .join(' ')

test('of selected nodes, workers that take no new pods come first, and the control plane last, cordoned or not', () => {
  const cordoned = { unschedulable: true }
  assert.equal(
    ordered(
      aNode('n1', { labels: PLANE, ...cordoned }),
      aNode('n2'),
      aNode('n3', cordoned),
      aNode('n4'),
      aNode('n5', { labels: PLANE }),
    ),
    'n3 n2 n4 n1 n5',
  )
})

test('all workers of one zone come before those of the next, and none of the control plane between them', () => {
  const inZone = (zone: string, more = {}) => ({ labels: { [ZONE]: zone, ...more } })
  assert.equal(
    ordered(
      aNode('n1', inZone('b')),
      aNode('n2', inZone('a', PLANE)),
      aNode('n3', inZone('a')),
      aNode('n4', inZone('b')),
      aNode('n5', inZone('a')),
      aNode('n6'),
    ),
    'n6 n3 n5 n1 n4 n2',
  )
})

test('a worker that the roll could not begin comes after those that it can', () => {
  const claim = JSON.stringify([{ owner: 'person/anna', id: 'x', at: '2026-01-01T00:00:00Z' }])
  const first = [
    aNode('n1', { ready: 'Unknown', unschedulable: true }),
    aNode('n2', { annotations: { [MAINTENANCE_ANNOTATION]: claim } }),
    aNode('n3', { annotations: { [RECORD_ANNOTATION]: JSON.stringify(aRecord({ run: 'run-9' })) } }),
  ]
  assert.equal(ordered(...first, aNode('n4'), aNode('n5', { labels: PLANE })), 'n4 n1 n2 n3 n5')
})

test('the plan warns where a node of the control plane is named before a worker, and has the order to paste', () => {
  const nodes = [aNode('n1', { labels: PLANE }), aNode('n2'), aNode('n3')]
  const warnings = (...names: readonly string[]) =>
    makePlan(planSnapshot({ spec: aSpec({ nodes: { names, all: false, allowUnbalanced: true } }) }, { nodes }))
      .findings.filter(({ code }) => code === 'ControlPlaneEarly')
      .map(({ severity, node, text, fix }) => [severity, node, text, fix])
  assert.deepEqual(warnings('n2', 'n1', 'n3'), [
    [
      'warning',
      'n1',
      'n1 of the control plane is rolled before n3, a worker: the nodes come as they were named',
      'name the workers first: n2 n3 n1',
    ],
  ])
  assert.deepEqual([warnings('n2', 'n3', 'n1'), warnings('n1'), warnings('n2')], [[], [], []])
})

const PLANES = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name, { labels: PLANE }))
const deleting = (name: string, nodes: readonly Node[] = PLANES): readonly Node[] =>
  nodes.map((node) => (node.name === name ? { ...node, deleting: true } : node))

for (const [title, nodes] of [
  ['labelled as the control plane', PLANES],
  ['without a label', PLANES.map((node) => ({ ...node, labels: {} }))],
] as const) {
  test(`a member on a node that is about to go counts as not there, in the plan as before the node is begun: nodes ${title}`, () => {
    const spec = aSpec({ nodes: { names: ['n1'], all: false, allowUnbalanced: true } })
    const said = (pods: readonly Pod[], of: readonly Node[]) =>
      makePlan(planSnapshot({ spec }, { nodes: of, pods }))
        .findings.filter(({ code }) => code === 'EtcdQuorum' || code === 'ControlPlaneNotReady')
        .map(({ severity, text }) => `${severity}: ${text}`)
    assert.deepEqual(said(members('etcd', true, true, true, true), deleting('n4', nodes)), [
      'block: etcd has 4 members, 3 of them Ready, and needs 3: without n1 it has no quorum; n4 is being deleted',
    ])
    assert.deepEqual(said(members('kube-apiserver', true, true, true), deleting('n3', nodes.slice(0, 3))), [
      'hold: n3 is being deleted, and carries static pod kube-system/kube-apiserver-n3',
    ])
  })
}
