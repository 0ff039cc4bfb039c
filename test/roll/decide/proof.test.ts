import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { hasCurrent } from '../../../src/roll/decide/node-snapshot.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { OUT_TAINT, type RecordedDaemon } from '../../../src/service/model/node-record.ts'
import { announced, back, beat, proven } from '../../support/roll-stages.ts'
import { aPod, aRecord, aSnapshot, aWorkload, detachedEvidence } from '../../support/roll-world.ts'
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

/** n1 is back and has sent no heartbeat since; the list that followed its boot id did not show these containers. */
function unheard(s: RollSnapshot, newContainers?: readonly string[]): RollSnapshot {
  assert.ok(hasCurrent(s))
  const { node } = s.current
  const returned = { bootId: node.bootId, at: monoMs(900_000), heartbeat: node.heartbeat }
  const current = newContainers === undefined ? s.current : { ...s.current, newContainers }
  return { ...s, current, evidence: { ...s.evidence, returned } }
}

const NEW = ['containerd://new']
/** It restarted after the record was written and before the machine went down, so that it has an id that is not recorded. */
const RESTARTED = { containerIds: { proxy: 'containerd://restarted' } }

/** The DaemonSet of `daemonOf`, and a static pod. */
function withStatic(s: RollSnapshot, pod: Partial<Pod>): RollSnapshot {
  assert.ok(hasCurrent(s) && s.current.record?.ok)
  const daemons: RecordedDaemon[] = [
    { ...PROXY, kind: 'mirror', name: 'etcd-n1', containerIds: ['containerd://etcd-1'] },
  ]
  const record = {
    ok: true as const,
    value: { ...s.current.record.value, daemons: [...s.current.record.value.daemons, ...daemons] },
  }
  const etcd = aPod('etcd-n1', 'n1', { namespace: 'kube-system', mirror: true, ...pod })
  return { ...s, current: { ...s.current, record }, cluster: { ...s.cluster, pods: [...s.cluster.pods, etcd] } }
}

/** So long after its boot id was seen, in which a heartbeat came. */
const after = (ms: number, s: RollSnapshot): RollSnapshot => ({ ...s, now: monoMs(beat.returned.at + ms) })

const nodeWith = (change: Parameters<typeof aSnapshot>[0]) => aSnapshot({ ...proven, ...change })
const taint = { key: 'node.example.com/starting', effect: 'NoSchedule' }

const TABLE: readonly (readonly [title: string, snapshot: RollSnapshot, decision: string])[] = [
  ['everything is there', daemonOf([{}]), 'act uncordon: uncordon'],
  ['the node is not Ready', nodeWith({ node: { ...proven.node, ready: 'False' } }), 'hold proof: NodeNotReady'],
  [
    'the Ready condition of the node is Unknown',
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
  ['a container of this boot is Ready, and no heartbeat came', unheard(daemonOf([{}]), NEW), 'act uncordon: uncordon'],
  [
    'one that is not Ready says nothing',
    unheard(daemonOf([{ ready: false }]), NEW),
    'hold proof: HeartbeatOld DaemonNotBack',
  ],
  [
    'one that is Ready and going says nothing',
    unheard(daemonOf([{ terminating: true }]), NEW),
    'hold proof: HeartbeatOld DaemonNotBack',
  ],
  [
    'its container restarted just before the reboot, and reads Ready still',
    unheard(daemonOf([RESTARTED]), []),
    'hold proof: HeartbeatOld DaemonNotBack',
  ],
  [
    'that restart is heard of late, when other containers are of this boot',
    unheard(daemonOf([RESTARTED]), NEW),
    'hold proof: HeartbeatOld DaemonNotBack',
  ],
  [
    'its pods have not been listed since its boot id was known',
    unheard(daemonOf([{}])),
    'hold proof: HeartbeatOld DaemonNotBack',
  ],
  [
    'one of the two containers restarted just before the reboot',
    unheard(daemonOf([{ containerIds: { proxy: 'containerd://new', log: 'containerd://restarted' } }]), NEW),
    'hold proof: HeartbeatOld DaemonNotBack',
  ],
  [
    'a static pod is of this boot, and the DaemonSet restarted just before the reboot',
    unheard(withStatic(daemonOf([RESTARTED]), { containerIds: { etcd: 'containerd://etcd-2' } }), [
      'containerd://etcd-2',
    ]),
    'hold proof: DaemonNotBack',
  ],
  [
    'static pod and DaemonSet are of this boot',
    unheard(withStatic(daemonOf([{}]), { containerIds: { etcd: 'containerd://etcd-2' } }), [
      ...NEW,
      'containerd://etcd-2',
    ]),
    'act uncordon: uncordon',
  ],
  [
    'the static pod is of this boot and was recorded as not Ready, and nothing else is recorded',
    unheard(daemonOf([{}], { daemon: { ready: false } }), NEW),
    'hold proof: HeartbeatOld',
  ],
  [
    'a process that begins late lists what is new already, and waits for a heartbeat',
    unheard(daemonOf([{}]), []),
    'hold proof: HeartbeatOld DaemonNotBack',
  ],
  [
    'a heartbeat came before its kubelet can have looked at a container that restarted just before the reboot',
    after(9_999, daemonOf([RESTARTED])),
    'hold proof: DaemonNotBack',
  ],
  [
    'a process that began late has heard a heartbeat, and waited',
    after(10_000, daemonOf([{}])),
    'act uncordon: uncordon',
  ],
  [
    'a process that began late has waited, and heard no heartbeat',
    after(60_000, unheard(daemonOf([{}]), [])),
    'hold proof: HeartbeatOld DaemonNotBack',
  ],
  [
    'its kubelet restarted, and all containers with it, in the boot of before',
    unheard(
      aSnapshot({
        ...announced,
        record: aRecord({ daemons: [PROXY] }),
        workloads: [DAEMON_SET],
        pods: daemonOf([{}]).cluster.pods,
        evidence: { ...detachedEvidence(), reboot: { at: monoMs(999_000), answer: { kind: 'sent' } } },
      }),
      NEW,
    ),
    'hold reboot: Rebooting',
  ],
  [
    'a pod that is not recorded says nothing of this boot',
    unheard(nodeWith({ pods: [aPod('web-1', 'n1', { containerIds: { web: 'containerd://new' } })] }), NEW),
    'hold proof: HeartbeatOld',
  ],
]

for (const [title, snapshot, decision] of TABLE) {
  test(`law: a node is proven by identity, and never by Ready alone; a node that came back: ${title}`, () =>
    assert.equal(shortDecision(decide(snapshot)), decision))
}
