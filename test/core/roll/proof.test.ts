import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/core/roll/decide.ts'
import type { RollSnapshot } from '../../../src/core/roll/snapshot.ts'
import { OUT_TAINT, type RecordedDaemon } from '../../../src/model/node-record.ts'
import type { Pod } from '../../../src/model/pod.ts'
import { back, beat, proven } from '../../support/roll-stages.ts'
import { aPod, aRecord, aSnapshot, aWorkload } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const PROXY: RecordedDaemon = {
  kind: 'DaemonSet',
  namespace: 'kube-system',
  name: 'kube-proxy',
  containerIds: ['containerd://old'],
  ready: true,
}
const DAEMON_SET = aWorkload({ kind: 'DaemonSet', namespace: 'kube-system', name: 'kube-proxy' })

/** n1 is back with a heartbeat and without anything to wait for, but for its DaemonSet. */
function daemonOf(pods: readonly Partial<Pod>[], { workloads = [DAEMON_SET], daemon = {} } = {}): RollSnapshot {
  const controller = { kind: 'DaemonSet', name: 'kube-proxy', uid: 'uid-proxy' }
  return aSnapshot({
    ...proven,
    record: aRecord({ daemons: [{ ...PROXY, ...daemon }] }),
    workloads,
    pods: pods.map((change) =>
      aPod('kube-proxy-a', 'n1', {
        namespace: 'kube-system',
        controller,
        containerIds: { proxy: 'containerd://new' },
        ...change,
      }),
    ),
  })
}

const nodeWith = (change: Parameters<typeof aSnapshot>[0]) => aSnapshot({ ...proven, ...change })
const taint = { key: 'node.example.com/starting', effect: 'NoSchedule' }

const TABLE: readonly (readonly [title: string, snapshot: RollSnapshot, decision: string])[] = [
  ['everything is there', daemonOf([{}]), 'act uncordon: uncordon'],
  ['the node is not Ready', nodeWith({ node: { ...proven.node, ready: 'False' } }), 'hold proof: NodeNotReady'],
  [
    'nobody knows whether it is Ready',
    nodeWith({ node: { ...proven.node, ready: 'Unknown' } }),
    'hold proof: NodeNotReady',
  ],
  ['a startup taint is on it', nodeWith({ node: { ...proven.node, taints: [taint] } }), 'hold proof: StartupTaint'],
  [
    'a taint of that kind was on it before',
    nodeWith({ node: { ...proven.node, taints: [taint] }, record: aRecord({ taints: [taint] }) }),
    'act uncordon: uncordon',
  ],
  [
    'a taint that was on it before has another effect now',
    nodeWith({
      node: { ...proven.node, taints: [{ ...taint, effect: 'NoExecute' }] },
      record: aRecord({ taints: [taint] }),
    }),
    'hold proof: StartupTaint',
  ],
  [
    'a taint is on it that keeps no pod away',
    nodeWith({ node: { ...proven.node, taints: [{ ...taint, effect: 'PreferNoSchedule' }] } }),
    'act uncordon: uncordon',
  ],
  [
    'our own taint is on it, which keeps its pods away',
    aSnapshot({ ...back, node: { ...back.node, taints: [OUT_TAINT] } }),
    'act proof: removeTaint',
  ],
  ['a DaemonSet has no pod here yet', daemonOf([]), 'hold proof: DaemonNotBack'],
  ['its pod is not Ready', daemonOf([{ ready: false }]), 'hold proof: DaemonNotBack'],
  ['its pod is Ready and going', daemonOf([{ terminating: true }]), 'hold proof: DaemonNotBack'],
  [
    'its pod is Ready in its containers from before',
    daemonOf([{ containerIds: { proxy: 'containerd://old' } }]),
    'hold proof: DaemonNotBack',
  ],
  [
    'one of its containers is from before',
    daemonOf([{ containerIds: { proxy: 'containerd://new', log: 'containerd://old' } }]),
    'hold proof: DaemonNotBack',
  ],
  ['its containers have no ids yet', daemonOf([{ containerIds: { proxy: '' } }]), 'hold proof: DaemonNotBack'],
  ['its pod tells of no container', daemonOf([{ containerIds: {} }]), 'hold proof: DaemonNotBack'],
  ['its pod is of another namespace', daemonOf([{ namespace: 'shop' }]), 'hold proof: DaemonNotBack'],
  [
    'it was deleted, and another namespace has one of its name',
    daemonOf([], { workloads: [{ ...DAEMON_SET, namespace: 'shop' }] }),
    'act uncordon: uncordon',
  ],
  ['its pod runs on another node', daemonOf([{ nodeName: 'n2' }]), 'hold proof: DaemonNotBack'],
  ['it was not Ready before either', daemonOf([], { daemon: { ready: false } }), 'act uncordon: uncordon'],
  ['it was deleted meanwhile', daemonOf([], { workloads: [] }), 'act uncordon: uncordon'],
  [
    'it booted once more since its first heartbeat',
    nodeWith({ evidence: { returned: { ...beat.returned, bootId: 'the boot between' } } }),
    'hold proof: HeartbeatOld',
  ],
]

for (const [title, snapshot, decision] of TABLE) {
  test(`law: a node is proven by identity, and never by Ready alone; a node that came back: ${title}`, () =>
    assert.equal(shortDecision(decide(snapshot)), decision))
}
