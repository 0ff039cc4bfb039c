import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PodPlacement } from '../../../src/ground/model/pod-placement.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { makePlan } from '../../../src/roll/decide/plan/make-plan.ts'
import type { PlanSnapshot } from '../../../src/roll/decide/plan/plan-snapshot.ts'
import { RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { aBudget, aNode, anInstance, aPod, aServer, aSpec, aWorkload } from '../../support/roll-world.ts'
import { findingCodes as codes, planSnapshot as facts } from './plan-snapshot.ts'

test('a plan without findings names what each node is detached from and what moves', () => {
  const plan = makePlan(
    facts({}, { pods: [aPod('cart-a', 'n1'), aPod('db-0', 'n1', { claims: ['data'] })], workloads: [aWorkload()] }),
  )
  assert.deepEqual(codes(plan), [])
  assert.deepEqual(plan.nodes[0]?.detachFrom, ['web/n1 on lb-1'])
  assert.deepEqual(plan.nodes[0]?.podsToMove, ['shop/db-0', 'shop/cart-a'])
  assert.deepEqual(plan.nodes[0]?.stages, [1, 1, 0])
})

test('the control plane is rolled last', () => {
  const labels = { 'node-role.kubernetes.io/control-plane': '' }
  const plan = makePlan(facts({}, { nodes: [aNode('n1', { labels }), aNode('n2'), aNode('n3')] }))
  assert.deepEqual(
    plan.nodes.map(({ node }) => node),
    ['n2', 'n3', 'n1'],
  )
})

const EMPTY_DIR = aPod('cart-a', 'n1', { usesEmptyDir: true })
const { controller: _, ...unmanaged } = aPod('debug', 'n1')
/** Only n1 has room for a large pod. */
const FULL = [4000, 500, 500].map((cpuMilli, i) =>
  aNode(`n${i + 1}`, { allocatable: { cpuMilli, memoryBytes: 10 ** 9, pods: 110 } }),
)
const LARGE = {
  requests: { cpuMilli: 3500, memoryBytes: 0 },
  priority: 0,
  nodeSelector: {},
  tolerations: [],
  hostPorts: [],
  apart: [],
  spread: [],
} as const
/** A pod that only n1 may run, and n1 as it is changed. */
const boundTo = (n1: Parameters<typeof aNode>[1], tolerations: PodPlacement['tolerations'] = []) =>
  facts(
    {},
    {
      nodes: [aNode('n1', { labels: { disk: 'ssd' }, ...n1 }), aNode('n2'), aNode('n3')],
      pods: [aPod('cart-a', 'n1', { placement: { ...LARGE, nodeSelector: { disk: 'ssd' }, tolerations } })],
      workloads: [aWorkload()],
    },
  )
const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const
const DAEMON = aPod('edge-a', 'n1', {
  controller: { kind: 'DaemonSet', name: 'edge', uid: 'uid-edge' },
  labels: { app: 'edge' },
})
const EDGE = aWorkload({ kind: 'DaemonSet', name: 'edge', uid: 'uid-edge' })
const NODE_PORT = {
  namespace: 'shop',
  name: 'edge',
  type: 'NodePort',
  selector: { app: 'edge' },
  externalTrafficPolicy: 'Cluster',
  internalTrafficPolicy: 'Cluster',
  nodePorts: [30090],
}
const UNREACHABLE = { severity: 'error', code: 'BALANCER_UNREACHABLE', text: 'lb-1: no process listens there' } as const
const { reading: _none, ...SILENT } = anInstance([], { error: 'no process listens there', silentForMs: 1 })
const LOCAL = { ...NODE_PORT, externalTrafficPolicy: 'Local', internalTrafficPolicy: 'Local' }
const EDGE_STAGE = aSpec({
  drain: { ...aSpec().drain, daemonSets: [{ matchLabels: { app: 'edge' }, matchExpressions: [] }] },
})

const TABLE: readonly (readonly [title: string, facts: PlanSnapshot, codes: readonly string[]])[] = [
  [
    'a node that does not exist',
    facts({ spec: aSpec({ nodes: { names: ['n9'], all: false, allowUnbalanced: false } }) }),
    ['error NodeUnknown'],
  ],
  [
    'no node at all',
    facts({ spec: aSpec({ nodes: { names: [], all: false, allowUnbalanced: false } }) }),
    ['error NoNodes'],
  ],
  [
    'a node that matches no server',
    facts({ instances: [anInstance([aServer('n1'), aServer('n2')])] }),
    ['warning BalancerFewServers', 'error NodeUnbalanced'],
  ],
  [
    'the same, where the config allows it',
    facts({
      instances: [anInstance([aServer('n1'), aServer('n2')])],
      spec: aSpec({ nodes: { names: [], all: true, allowUnbalanced: true } }),
    }),
    ['warning BalancerFewServers'],
  ],
  ['a pod with an emptyDir', facts({}, { pods: [EMPTY_DIR], workloads: [aWorkload()] }), ['error PodEmptyDir']],
  ['a pod that no controller would replace', facts({}, { pods: [unmanaged] }), ['error PodUnmanaged']],
  [
    'a pod that is deleted for good and that no other node has room for',
    facts(
      { spec: aSpec({ drain: { ...aSpec().drain, deleteUnmanaged: true } }) },
      { nodes: FULL, pods: [{ ...unmanaged, placement: LARGE }] },
    ),
    [],
  ],
  [
    'a pod that is replaced and that no other node has room for',
    facts({}, { nodes: FULL, pods: [aPod('cart-a', 'n1', { placement: LARGE })], workloads: [aWorkload()] }),
    ['block NoRoom'],
  ],
  ['a pod that only its own node may run', boundTo({}), ['warning BoundBySelector']],
  [
    'a pod that only its own node may run, which is cordoned',
    boundTo({ unschedulable: true }),
    ['warning NodeCordoned', 'block BoundBySelector'],
  ],
  [
    'a pod that only its own node may run, which is cordoned, and that tolerates a cordon',
    boundTo({ unschedulable: true }, [{ key: '', operator: 'Exists', value: '', effect: '' }]),
    ['warning NodeCordoned', 'warning ToleratesCordon', 'warning BoundBySelector'],
  ],
  [
    'a pod that only its own node may run, which bears a taint of people',
    boundTo({ taints: [{ key: 'dedicated', effect: 'NoSchedule' }] }),
    ['block BoundBySelector'],
  ],
  [
    'a pod that only its own node may run, which has the taint that a roll takes off itself',
    boundTo({ taints: [{ key: 'evenkeel.dev/out', effect: 'NoSchedule' }] }),
    ['warning MarkLeft', 'warning BoundBySelector'],
  ],
  [
    'a pod that only its own node may run, which is not Ready for a while',
    boundTo({ ready: 'False', taints: [NOT_READY] }),
    ['hold OtherNodeBad', 'hold NodeNotReady', 'warning BoundBySelector'],
  ],
  [
    'a budget that is used up',
    facts({}, { pods: [aPod('cart-a', 'n1')], workloads: [aWorkload()], budgets: [aBudget()] }),
    ['hold BudgetExhausted'],
  ],
  [
    'a budget that never allows',
    facts({}, { pods: [aPod('cart-a', 'n1')], workloads: [aWorkload()], budgets: [aBudget({ maxUnavailable: '0' })] }),
    ['block BudgetNever'],
  ],
  [
    'a pod under two budgets',
    facts(
      {},
      { pods: [aPod('cart-a', 'n1')], workloads: [aWorkload()], budgets: [aBudget(), aBudget({ name: 'all' })] },
    ),
    ['block TwoBudgets'],
  ],
  [
    'a workload of one',
    facts({}, { pods: [aPod('cart-a', 'n1')], workloads: [aWorkload({ desired: 1 })] }),
    ['warning SingleReplica'],
  ],
  [
    'a DaemonSet that other nodes send to',
    facts({ services: [NODE_PORT] }, { pods: [DAEMON], workloads: [EDGE] }),
    ['warning DaemonSetBehindService'],
  ],
  [
    'a DaemonSet with a stage of its own',
    facts({ services: [NODE_PORT], spec: EDGE_STAGE }, { pods: [DAEMON], workloads: [EDGE] }),
    [],
  ],
  [
    'a DaemonSet that only its own node sends to',
    facts({ services: [LOCAL] }, { pods: [DAEMON], workloads: [EDGE] }),
    [],
  ],
  [
    'a node that is out for another owner',
    facts({}, { nodes: [aNode('n1', { annotations: { [RECORD_ANNOTATION]: '{}' } }), aNode('n2'), aNode('n3')] }),
    ['error NodeRecorded'],
  ],
  [
    'a node that is not Ready',
    facts({}, { nodes: [aNode('n1', { ready: 'Unknown' }), aNode('n2'), aNode('n3')] }),
    ['hold OtherNodeBad', 'hold NodeNotReady'],
  ],
  [
    'a right that is missing',
    facts({ forbidden: [{ verb: 'patch', group: '', resource: 'nodes' }] }),
    ['error Forbidden'],
  ],
  [
    'a namespace of the slots that is not there',
    facts({ slotRefusal: { code: 'KUBE_NOT_FOUND', text: 'namespaces "evenkeel" not found' } }),
    ['error SlotNamespaceMissing'],
  ],
  [
    'a namespace of the slots that takes no Lease',
    facts({ slotRefusal: { code: 'KUBE_FORBIDDEN', text: 'it is being terminated' } }),
    ['error SlotRefused'],
  ],
  [
    'a right to read that is missing, and says nothing of nodes it could not see',
    facts(
      {
        forbidden: [{ verb: 'list', group: '', resource: 'pods' }],
        spec: aSpec({ nodes: { names: ['n1'], all: false, allowUnbalanced: false } }),
      },
      { nodes: [] },
    ),
    ['error Forbidden'],
  ],
  [
    'a balancer that did not answer, and does not guess where it would have sent',
    facts({
      instances: [SILENT],
      hostFindings: [UNREACHABLE],
    }),
    ['error BALANCER_UNREACHABLE'],
  ],
  [
    'a backend that would be left without a server',
    facts({
      spec: aSpec({ nodes: { names: ['n1'], all: false, allowUnbalanced: false } }),
      instances: [anInstance([aServer('n1'), aServer('n2', { operational: 'down', totalSessions: 0 })])],
    }),
    ['hold LastUsableServer'],
  ],
]

for (const [title, given, expected] of TABLE) {
  test(`the plan finds ${title}`, () => assert.deepEqual(codes(makePlan(given)), expected))
}

test('a server that leads to no node is listed', () => {
  const plan = makePlan(
    facts({ instances: [anInstance([aServer('n1'), aServer('n2'), aServer('n3'), aServer('n8')])] }),
  )
  assert.deepEqual(plan.unmatchedServers, ['web/n8 (10.0.0.8:30080) on lb-1'])
})

test('a balancer that did not answer is reported with what to do about it', () => {
  assert.deepEqual(
    makePlan(facts({ hostFindings: [UNREACHABLE] })).findings.map(({ fix }) => fix),
    ['check its address under "balancers", and that HAProxy runs and serves its runtime API there'],
  )
})

test('a missing right on Leases is reported with the namespace that the file names', () => {
  const access = { verb: 'create', group: 'coordination.k8s.io', resource: 'leases' }
  const fixes = makePlan(
    facts({
      forbidden: [
        { ...access, namespace: 'evenkeel' },
        { ...access, verb: 'get', namespace: 'kube-node-lease' },
      ],
    }),
  ).findings.map(({ fix = '' }) => plainText(fix))
  assert.deepEqual(fixes, [
    'kubectl apply -f deploy/roll-rbac.yaml, and bind it to this identity, with its Role evenkeel-slots in evenkeel: ' +
      'the namespace of "slots.namespace" must exist',
    'kubectl apply -f deploy/roll-rbac.yaml, and bind it to this identity',
  ])
})
