import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import { fullDecision } from '../../support/full-decision.ts'
import { back, proven } from '../../support/roll-stages.ts'
import { aPod, aRecord, aSnapshot, aWorkload, detachedEvidence, NEW_BOOT } from '../../support/roll-world.ts'

const daemon = {
  kind: 'DaemonSet',
  namespace: 'kube-system',
  name: 'cni',
  ready: true,
  containerIds: ['containerd://old'],
} as const
const daemonSet = aWorkload({ kind: 'DaemonSet', namespace: 'kube-system', name: 'cni', uid: 'uid-cni' })
const daemonPod = aPod('cni-1', 'n1', {
  namespace: 'kube-system',
  controller: { kind: 'DaemonSet', name: 'cni', uid: 'uid-cni' },
  containerIds: { cni: 'containerd://new' },
})
const inReturn = (change: object) => ({ ...proven, ...change })

const DECISIONS: readonly (readonly [title: string, snapshot: RollSnapshot, decision: readonly string[]])[] = [
  [
    'a node that is back proves a heartbeat',
    aSnapshot({
      ...back,
      evidence: {
        ...detachedEvidence(),
        returned: { bootId: NEW_BOOT, at: monoMs(900_000), heartbeat: '2026-01-01T00:00:00Z' },
      },
    }),
    ['hold proof for 500 ms', 'HeartbeatOld | n1 | n1 has sent no heartbeat since its new boot id appeared'],
  ],
  [
    'a node that is back proves that it is Ready',
    aSnapshot(inReturn({ node: { ...proven.node, ready: 'False' } })),
    ['hold proof for 500 ms', 'NodeNotReady | n1 | n1 is not Ready (Ready is False)'],
  ],
  [
    'a node that is back loses our taint',
    aSnapshot(inReturn({ node: { ...proven.node, taints: [OUT_TAINT] } })),
    [
      'act proof',
      'removeTaint {"node":"n1","taint":{"key":"evenkeel.dev/out","effect":"NoSchedule"}}',
      'StillShut | - | the taint against returning pods is still on the node',
    ],
  ],
  [
    'a node that is back waits for taints that were not there before',
    aSnapshot(
      inReturn({
        node: {
          ...proven.node,
          taints: [
            { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
            { key: 'soft', effect: 'PreferNoSchedule' },
            { key: 'gpu', effect: 'NoSchedule' },
            { key: 'gpu', effect: 'NoExecute' },
            { key: 'cni', effect: 'NoSchedule' },
          ],
        },
        record: aRecord({ taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
      }),
    ),
    [
      'hold proof for 500 ms',
      'StartupTaint | n1 | n1 still has the taint gpu:NoExecute',
      'StartupTaint | n1 | n1 still has the taint cni:NoSchedule',
    ],
  ],
  [
    'a DaemonSet that has no pod yet is waited for',
    aSnapshot(inReturn({ record: aRecord({ daemons: [daemon] }), workloads: [daemonSet] })),
    ['hold proof for 500 ms', 'DaemonNotBack | kube-system/cni | DaemonSet kube-system/cni is not Ready again'],
  ],
  [
    'a DaemonSet that shows its old containers is waited for',
    aSnapshot(
      inReturn({
        record: aRecord({ daemons: [daemon] }),
        workloads: [daemonSet],
        pods: [{ ...daemonPod, containerIds: { cni: 'containerd://old' } }],
      }),
    ),
    [
      'hold proof for 500 ms',
      'DaemonNotBack | kube-system/cni | DaemonSet kube-system/cni still shows its containers of before the reboot',
    ],
  ],
  [
    'a DaemonSet whose new pod is not Ready is waited for',
    aSnapshot(
      inReturn({
        record: aRecord({ daemons: [daemon] }),
        workloads: [daemonSet],
        pods: [{ ...daemonPod, ready: false }],
      }),
    ),
    ['hold proof for 500 ms', 'DaemonNotBack | kube-system/cni | DaemonSet kube-system/cni is not Ready again'],
  ],
  [
    'a DaemonSet whose new pod leaves already is waited for',
    aSnapshot(
      inReturn({
        record: aRecord({ daemons: [daemon] }),
        workloads: [daemonSet],
        pods: [{ ...daemonPod, terminating: true }],
      }),
    ),
    ['hold proof for 500 ms', 'DaemonNotBack | kube-system/cni | DaemonSet kube-system/cni is not Ready again'],
  ],
  [
    'a DaemonSet whose pod shows no container yet is waited for',
    aSnapshot(
      inReturn({
        record: aRecord({ daemons: [daemon] }),
        workloads: [daemonSet],
        pods: [{ ...daemonPod, containerIds: {} }],
      }),
    ),
    [
      'hold proof for 500 ms',
      'DaemonNotBack | kube-system/cni | DaemonSet kube-system/cni still shows its containers of before the reboot',
    ],
  ],
  [
    'a pod of another DaemonSet proves nothing',
    aSnapshot(
      inReturn({
        record: aRecord({ daemons: [daemon] }),
        workloads: [daemonSet],
        pods: [
          { ...daemonPod, controller: { kind: 'DaemonSet', name: 'csi', uid: 'x' } },
          { ...daemonPod, namespace: 'shop' },
          { ...daemonPod, controller: { kind: 'ReplicaSet', name: 'cni', uid: 'x' } },
        ],
      }),
    ),
    ['hold proof for 500 ms', 'DaemonNotBack | kube-system/cni | DaemonSet kube-system/cni is not Ready again'],
  ],
  [
    'a DaemonSet with a new pod is proven',
    aSnapshot(
      inReturn({
        record: aRecord({ daemons: [daemon] }),
        workloads: [daemonSet],
        pods: [{ ...daemonPod, ready: false }, daemonPod],
      }),
    ),
    ['act uncordon', 'uncordon {"node":"n1"}', 'CordonedByUs | - | the cordon is ours'],
  ],
  [
    'a DaemonSet that is no more proves nothing and is not waited for',
    aSnapshot(
      inReturn({
        record: aRecord({ daemons: [daemon] }),
        workloads: [
          { ...daemonSet, name: 'csi' },
          { ...daemonSet, namespace: 'shop' },
          { ...daemonSet, kind: 'ReplicaSet' },
        ],
      }),
    ),
    ['act uncordon', 'uncordon {"node":"n1"}', 'CordonedByUs | - | the cordon is ours'],
  ],
  [
    'a DaemonSet that was not Ready before is not waited for',
    aSnapshot(inReturn({ record: aRecord({ daemons: [{ ...daemon, ready: false }] }), workloads: [daemonSet] })),
    ['act uncordon', 'uncordon {"node":"n1"}', 'CordonedByUs | - | the cordon is ours'],
  ],
  [
    'a static pod that is not back is waited for',
    aSnapshot(
      inReturn({
        record: aRecord({ daemons: [{ ...daemon, kind: 'mirror', name: 'etcd-n1' }] }),
        pods: [
          { ...daemonPod, name: 'etcd-n1' },
          { ...daemonPod, name: 'apiserver-n1', mirror: true },
        ],
      }),
    ),
    [
      'hold proof for 500 ms',
      'DaemonNotBack | kube-system/etcd-n1 | static pod kube-system/etcd-n1 is not Ready again',
    ],
  ],
  [
    'a static pod that is back is proven',
    aSnapshot(
      inReturn({
        record: aRecord({ daemons: [{ ...daemon, kind: 'mirror', name: 'etcd-n1' }] }),
        pods: [{ ...daemonPod, name: 'etcd-n1', mirror: true }],
      }),
    ),
    ['act uncordon', 'uncordon {"node":"n1"}', 'CordonedByUs | - | the cordon is ours'],
  ],
]

for (const [title, snapshot, decision] of DECISIONS) {
  test(`in full: ${title}`, () => assert.deepEqual(fullDecision(decide(snapshot)), decision))
}
