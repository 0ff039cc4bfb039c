import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Taint } from '../../../../src/ground/model/node.ts'
import type { Pod } from '../../../../src/ground/model/pod.ts'
import type { PodPlacement } from '../../../../src/ground/model/pod-placement.ts'
import type { Service } from '../../../../src/ground/model/service.ts'
import { daemonFindings, shutOutFindings } from '../../../../src/roll/decide/plan/daemon-findings.ts'
import type { PlanSnapshot } from '../../../../src/roll/decide/plan/plan-snapshot.ts'
import { aNode, aPod, aSpec, aWorkload } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const EDGE = aWorkload({ kind: 'DaemonSet', name: 'edge', uid: 'uid-edge' })
const POD = aPod('edge-a', 'n1', {
  controller: { kind: 'DaemonSet', name: 'edge', uid: 'uid-edge' },
  labels: { app: 'edge', tier: 'front' },
})
const { controller: _, ...UNMANAGED } = aPod('debug', 'n1', { labels: { app: 'edge' } })
const SERVICE: Service = {
  namespace: 'shop',
  name: 'edge',
  type: 'NodePort',
  selector: { app: 'edge' },
  externalTrafficPolicy: 'Cluster',
  internalTrafficPolicy: 'Local',
  nodePorts: [30090],
}
const stage = (app: string) =>
  aSpec({ drain: { ...aSpec().drain, daemonSets: [{ matchLabels: { app }, matchExpressions: [] }] } })

const found = (
  service: Partial<Service> = {},
  change: Partial<PlanSnapshot> = {},
  cluster: Partial<PlanSnapshot['cluster']> = {},
) =>
  daemonFindings(
    planSnapshot(
      { services: [{ ...SERVICE, ...service }], ...change },
      { pods: [UNMANAGED, POD], workloads: [EDGE], ...cluster },
    ),
  )

test('a DaemonSet that other nodes send to is named with its Service, and with what to change', () => {
  assert.deepEqual(found(), [
    {
      severity: 'warning',
      code: 'DaemonSetBehindService',
      text: 'DaemonSet shop/edge serves Service shop/edge: other nodes send traffic to its pod until the node goes down',
      fix: 'name it under drain.daemonSets to drain its pods last',
    },
  ])
})

const OTHER_DAEMON = aPod('logs-a', 'n1', { controller: { kind: 'DaemonSet', name: 'logs', uid: 'uid-logs' } })

const TABLE: readonly (readonly [title: string, findings: readonly unknown[], isSentTo: boolean])[] = [
  ['its Service sends within the cluster alone', found({ nodePorts: [], internalTrafficPolicy: 'Cluster' }), true],
  ['no node port is open, and the cluster stays local', found({ nodePorts: [] }), false],
  ['both ways stay local', found({ externalTrafficPolicy: 'Local' }), false],
  ['the Service selects nothing', found({ selector: {} }), false],
  ['the Service is of another namespace', found({ namespace: 'ops' }), false],
  ['one of two labels is another', found({ selector: { app: 'edge', tier: 'back' } }), false],
  ['both of two labels are its own', found({ selector: { app: 'edge', tier: 'front' } }), true],
  ['pods of another workload match', found({ selector: { app: 'cart' } }, {}, { pods: [POD, OTHER_DAEMON] }), false],
  ['it has no pod, and pods of no controller match', found({}, {}, { pods: [UNMANAGED] }), false],
  ['it is a workload of another kind', found({}, {}, { workloads: [{ ...EDGE, kind: 'ReplicaSet' }] }), false],
  ['the file drains it last', found({}, { spec: stage('edge') }), false],
  ['the file drains another one last', found({}, { spec: stage('cart') }, { pods: [POD, OTHER_DAEMON] }), true],
  [
    'the file drains last what has no controller',
    found({}, { spec: stage('debug') }, { pods: [{ ...UNMANAGED, labels: { app: 'debug' } }, POD] }),
    true,
  ],
]

for (const [title, findings, isSentTo] of TABLE) {
  test(`a DaemonSet is ${isSentTo ? '' : 'not '}sent to from other nodes where ${title}`, () =>
    assert.equal(findings.length, isSentTo ? 1 : 0))
}

test('a drained pod of a DaemonSet that a taint of its node would keep from coming back blocks the plan', () => {
  const placement: PodPlacement = {
    requests: { cpuMilli: 0, memoryBytes: 0 },
    priority: 0,
    nodeSelector: {},
    tolerations: [{ key: 'dedicated', operator: 'Exists', value: '', effect: '' }],
    hostPorts: [],
    apart: [],
    spread: [],
  }
  const pod: Pod = { ...POD, placement }
  const on = (spec: PlanSnapshot['spec'], ...taints: readonly Taint[]) =>
    shutOutFindings(planSnapshot({ spec }, { pods: [pod] }), [aNode('n1', { taints })])
  const maintenance: Taint = { key: 'example.com/maintenance', effect: 'NoSchedule' }
  assert.deepEqual(on(stage('edge'), maintenance), [
    {
      severity: 'block',
      code: 'DaemonShutOut',
      node: 'n1',
      pods: ['shop/edge-a'],
      text: 'shop/edge-a would not come back to n1 after the reboot: it does not tolerate the taint example.com/maintenance',
      fix: 'remove the taint, let the DaemonSet tolerate it, or leave the node out',
    },
  ])
  assert.deepEqual(on(aSpec(), maintenance), [], 'it stays through the drain, and its kubelet starts it again')
  assert.deepEqual(on(stage('edge'), { ...maintenance, effect: 'PreferNoSchedule' }), [])
  assert.deepEqual(on(stage('edge'), { key: 'dedicated', effect: 'NoSchedule' }), [])
  assert.deepEqual(on(stage('edge'), { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }), [])
  assert.deepEqual(on(stage('edge'), { key: 'evenkeel.dev/out', effect: 'NoSchedule' }), [], 'the roll takes it off')
})
