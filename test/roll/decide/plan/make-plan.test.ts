import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Access } from '../../../../src/ground/model/access.ts'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../../../src/ground/model/claims.ts'
import type { ProbeTarget } from '../../../../src/ground/model/probe.ts'
import { makePlan } from '../../../../src/roll/decide/plan/make-plan.ts'
import type { PlanSnapshot } from '../../../../src/roll/decide/plan/plan-snapshot.ts'
import { selectNodes } from '../../../../src/roll/decide/plan/select-nodes.ts'
import { plain } from '../../../support/plain.ts'
import { aNode, anInstance, aPod, aServer, aSpec, BOOT } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const named = (...names: readonly string[]) => aSpec({ nodes: { names, all: false, allowUnbalanced: false } })
const CONTROL_PLANE = { 'node-role.kubernetes.io/control-plane': '' }

test('a plan says of each node what it is, where it is and what leaves it', () => {
  const nodes = [aNode('n1', { labels: CONTROL_PLANE }), aNode('n2'), aNode('n3', { internalAddresses: [] })]
  const pods = [aPod('cart-a', 'n2'), aPod('cart-b', 'n3'), aPod('etcd', 'n2', { mirror: true })]
  const spec = aSpec({ nodes: { names: [], all: true, allowUnbalanced: true } })
  assert.deepEqual(makePlan(planSnapshot({ spec }, { nodes, pods })).nodes, [
    {
      node: 'n2',
      role: 'worker',
      address: '10.0.0.2',
      bootId: `${BOOT}-n2`,
      detachFrom: ['web/n2 on lb-1'],
      podsToMove: ['shop/cart-a'],
      stages: [0, 1, 0],
    },
    {
      node: 'n3',
      role: 'worker',
      address: '',
      bootId: `${BOOT}-n3`,
      detachFrom: [],
      podsToMove: ['shop/cart-b'],
      stages: [0, 1, 0],
    },
    {
      node: 'n1',
      role: 'control plane',
      address: '10.0.0.1',
      bootId: `${BOOT}-n1`,
      detachFrom: ['web/n1 on lb-1'],
      podsToMove: [],
      stages: [0, 0, 0],
    },
  ])
})

test('a plan counts the pods of NodeGuards as a further stage, where there are any', () => {
  const pods = [aPod('cart-a', 'n1'), aPod('ceph-n1-a', 'n1', { labels: { 'evenkeel.dev/guard': 'ceph' } })]
  const [planned] = makePlan(planSnapshot({ spec: named('n1') }, { nodes: [aNode('n1')], pods })).nodes
  assert.deepEqual(
    [planned?.podsToMove, planned?.stages],
    [
      ['shop/cart-a', 'shop/ceph-n1-a'],
      [0, 1, 0, 1],
    ],
  )
})

test('a plan says what load is sent to which address, and nothing where none is', () => {
  const target: ProbeTarget = {
    name: 'shop',
    url: 'http://shop.test/',
    control: false,
    ratePerSecond: 5,
    keptShare: 0.5,
    keptConnections: 2,
    timeoutMs: 2000,
    expectStatus: [200, 299],
    servedByHeader: 'x-served-by',
  }
  const probe = { targets: [target], baselineMs: 10_000, baselineLimitMs: 60_000 }
  assert.deepEqual(makePlan(planSnapshot({ spec: aSpec({ probe }) })).load, [
    { name: 'shop', url: 'http://shop.test/', ratePerSecond: 5, control: false },
  ])
  assert.deepEqual(makePlan(planSnapshot()).load, [])
})

test('checks that found nothing are counted: those of the cluster, of each node and of each of its pods', () => {
  const passed = (facts: PlanSnapshot): number => makePlan(facts).checksPassed
  const one = { spec: named('n1') }
  assert.equal(passed(planSnapshot(one)), 24)
  assert.equal(passed(planSnapshot()), 40)
  assert.equal(passed(planSnapshot(one, { pods: [aPod('cart-a', 'n1'), aPod('cart-b', 'n2')] })), 25)
  assert.equal(passed(planSnapshot(one, { pods: [aPod('cart-a', 'n1', { usesEmptyDir: true })] })), 24)
})

test('pods of nodes that are not rolled are not looked at', () => {
  const pods = [aPod('cart-a', 'n2', { usesEmptyDir: true })]
  assert.deepEqual(makePlan(planSnapshot({ spec: named('n1') }, { pods })).findings, [])
})

test('a node that uses up the budget matters where another one is rolled', () => {
  const nodes = [aNode('n1', { ready: 'False' }), aNode('n2'), aNode('n3')]
  const codes = (...names: readonly string[]) =>
    makePlan(planSnapshot({ spec: named(...names) }, { nodes })).findings.map(({ code }) => code)
  assert.deepEqual(codes('n1'), ['NodeNotReady'])
  assert.deepEqual(codes('n2'), ['OtherNodeBad'])
})

test('a node that is not there is named with the first ten that are', () => {
  const nodesOf = (count: number) => Array.from({ length: count }, (_, at) => aNode(`n${at + 1}`))
  const of = (count: number) => makePlan(planSnapshot({ spec: named('n99') }, { nodes: nodesOf(count) })).findings
  const unknown = { severity: 'error', code: 'NodeUnknown', node: 'n99', text: 'there is no node n99' }
  assert.deepEqual(of(2), [{ ...unknown, fix: 'the cluster has: n1, n2' }])
  const ten = 'the cluster has: n1, n2, n3, n4, n5, n6, n7, n8, n9, n10'
  assert.deepEqual(of(10), [{ ...unknown, fix: ten }])
  assert.deepEqual(of(11), [{ ...unknown, fix: `${ten}, …` }])
})

test('a selection of no node is an error that says how to select', () => {
  const text = 'no node is selected'
  assert.deepEqual(makePlan(planSnapshot({ spec: named() })).findings, [
    { severity: 'error', code: 'NoNodes', text, fix: 'name nodes, or use -l or --all' },
  ])
})

const RIGHTS: readonly (readonly [access: Access, text: string])[] = [
  [{ verb: 'patch', group: '', resource: 'nodes' }, 'this identity is not allowed to patch nodes'],
  [
    { verb: 'create', group: '', resource: 'pods', subresource: 'eviction' },
    'this identity is not allowed to create pods/eviction',
  ],
  [{ verb: 'watch', group: 'apps', resource: 'daemonsets' }, 'this identity is not allowed to watch daemonsets.apps'],
  [
    { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease' },
    'this identity is not allowed to get leases.coordination.k8s.io in namespace kube-node-lease',
  ],
]

for (const [access, text] of RIGHTS) {
  test(`a right that is missing is an error: ${text}`, () => {
    assert.deepEqual(plain(makePlan(planSnapshot({ forbidden: [access] })).findings), [
      {
        severity: 'error',
        code: 'Forbidden',
        text,
        fix: 'kubectl apply -f deploy/roll-rbac.yaml, and bind it to this identity',
      },
    ])
  })
}

test('a right to write that is missing hides no node that is not there', () => {
  const forbidden = [{ verb: 'patch', group: '', resource: 'nodes' }]
  const codes = makePlan(planSnapshot({ forbidden, spec: named('n99') })).findings.map(({ code }) => code)
  assert.deepEqual(codes, ['Forbidden', 'NodeUnknown'])
})

test('nodes that are named come in the order they were named, and each name finds its own node', () => {
  const nodes = [aNode('n1'), aNode('n2'), aNode('n3')]
  const { nodes: found, unknown } = selectNodes(named('n3', 'n9', 'n1').nodes, nodes)
  assert.deepEqual([found.map(({ name }) => name), unknown], [['n3', 'n1'], ['n9']])
})

test('nodes that are selected come by name, the control plane last', () => {
  const nodes = [aNode('n1', { labels: CONTROL_PLANE }), aNode('n4'), aNode('n2'), aNode('n3')]
  assert.deepEqual(
    selectNodes(aSpec().nodes, nodes).nodes.map(({ name }) => name),
    ['n2', 'n3', 'n4', 'n1'],
  )
})

test('a control-plane node that the roll cannot begin now comes after the workers that it cannot begin, as all of the control plane does', () => {
  const claimed = { [MAINTENANCE_ANNOTATION]: formatClaims([{ owner: 'person/anna', id: 'claim-1' }]) }
  const nodes = [
    aNode('n1', { labels: CONTROL_PLANE, ready: 'False' }),
    aNode('n2', { labels: CONTROL_PLANE }),
    aNode('n3', { labels: CONTROL_PLANE, annotations: claimed }),
    aNode('n4', { ready: 'False' }),
    aNode('n5'),
  ]
  assert.deepEqual(
    selectNodes(aSpec().nodes, nodes).nodes.map(({ name }) => name),
    ['n5', 'n4', 'n1', 'n2', 'n3'],
  )
})

test('the same finding of two balancers is shown once', () => {
  const servers = [aServer('n1'), aServer('n2', { operational: 'down', totalSessions: 0 })]
  const twice = { instances: [anInstance(servers), anInstance(servers, { balancer: 'inner' })] }
  const { findings } = makePlan(planSnapshot({ spec: named('n1'), ...twice }))
  assert.deepEqual(
    findings.map(({ text }) => text),
    ['web/n1 is the last usable server of web on lb-1'],
  )
})

test('a slot that another run has is named, with its node, before a roll waits for it', () => {
  const slot = { index: 0, isStale: false, renewTime: '2026-01-01T00:00:00Z', durationMs: 120_000 }
  const owner = { holder: 'another-run/1', run: 'another-run' }
  const held = [
    { ...slot, owner: { ...owner, node: 'n2' } },
    { ...slot, index: 1, owner: { ...owner, node: 'lb-1', isMachine: true as const } },
  ]
  const { findings } = makePlan(planSnapshot({ slots: held }))
  const fix = 'wait until it is released; whether it is renewed: evenkeel budget --watch 2min'
  assert.deepEqual(plain(findings.filter(({ code }) => code === 'SlotTaken')), [
    {
      severity: 'hold',
      code: 'SlotTaken',
      node: 'n2',
      text: 'run another-run holds slot 0 of the node budget for n2',
      fix,
    },
    { severity: 'hold', code: 'SlotTaken', text: 'run another-run holds slot 1 of the node budget for lb-1', fix },
  ])
})
