import type { ApiManifest, BadSituation } from '../../support/preflight/bad-situation.ts'
import { node, replicas } from '../../support/preflight/manifests.ts'

const kured = (lock: object): ApiManifest => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: 'kured',
    namespace: 'kube-system',
    annotations: { 'weave.works/kured-node-lock': JSON.stringify(lock) },
  },
  spec: {
    selector: { matchLabels: { name: 'kured' } },
    template: {
      metadata: { labels: { name: 'kured' } },
      spec: { nodeSelector: { nowhere: 'at-all' }, containers: [{ name: 'kured', image: 'none' }] },
    },
  },
})

const NOT_SAFE = { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' }

/** Other programs that work on nodes, as they say it themselves. */
export const OTHERS_WORK_SITUATIONS: readonly BadSituation[] = [
  {
    title: 'kured in the middle of a reboot',
    objects: [kured({ nodeID: 'n2', metadata: { unschedulable: false }, created: '2025-12-31T23:59:00Z', TTL: 0 })],
    code: 'KuredLockHeld',
    says: 'the lock of kured (DaemonSet kube-system/kured) is held by n2',
    fix: 'kubectl -n kube-system annotate daemonset kured weave.works/kured-node-lock-',
    exit: 3,
    explain: {
      of: 'node n1',
      code: 'KuredLockHeld',
      says: /^n1 is in service and not next: the lock of kured \(DaemonSet kube-system\/kured\) is held by n2$/,
    },
  },
  {
    title: 'kured’s annotation on a node of the roll',
    nodes: [
      node('n1'),
      node('n2', { annotations: { 'weave.works/kured-reboot-in-progress': '2026-01-01T00:00:00Z' } }),
      node('n3'),
    ],
    code: 'NodeInOthersWork',
    says: 'kured reboots n2: it has the annotation weave.works/kured-reboot-in-progress',
    fix: 'kubectl annotate node n2 weave.works/kured-reboot-in-progress-',
    exit: 0,
    explain: 'kured has not cordoned the node: it waits for its lock',
  },
  {
    title: 'a node that the Cluster Autoscaler removes',
    nodes: [
      node('n1', { spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' }] } }),
      node('n2'),
      node('n3'),
    ],
    code: 'NodeBeingRemoved',
    says: 'n1 is being removed by the Cluster Autoscaler: it has the taint ToBeDeletedByClusterAutoscaler',
    fix: 'kubectl taint node n1 ToBeDeletedByClusterAutoscaler-',
    exit: 0,
    explain: { of: 'node n1', code: 'NodeLeaves', says: /^n1 .*is tainted with ToBeDeletedByClusterAutoscaler/ },
  },
  {
    title: 'a node that Karpenter has begun to remove',
    nodes: [
      node('n1', { spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] } }),
      node('n2'),
      node('n3'),
    ],
    code: 'NodeBeingRemoved',
    says: 'n1 is being removed by Karpenter: it has the taint karpenter.sh/disrupted',
    fix: 'kubectl taint node n1 karpenter.sh/disrupted-',
    exit: 0,
    explain: { of: 'node n1', code: 'NodeLeaves', says: /^n1 .*is tainted with karpenter.sh\/disrupted/ },
  },
  {
    title: 'a node that the Cluster Autoscaler may remove',
    nodes: [
      node('n1'),
      node('n2', { spec: { taints: [{ key: 'DeletionCandidateOfClusterAutoscaler', effect: 'PreferNoSchedule' }] } }),
      node('n3'),
    ],
    code: 'DeletionCandidate',
    says: 'the Cluster Autoscaler may remove n2 soon',
    fix: 'scale-down-disabled=true',
    exit: 0,
    explain: 'it takes nothing out and holds nothing up',
  },
  {
    title: 'a node on which another program works, by a condition of KEP-5683',
    nodes: [
      node('n1', { conditions: [{ type: 'MaintenanceInProgress', status: 'True', reason: 'FirmwareUpdate' }] }),
      node('n2'),
      node('n3'),
    ],
    code: 'NodeInOthersWork',
    says: 'another program is at work on n1: its condition MaintenanceInProgress is True',
    fix: 'kubectl describe node n1',
    exit: 0,
    explain: { of: 'node n1', code: 'NodeLeaves', says: /^n1 .*its condition MaintenanceInProgress is True/ },
  },
  {
    title: 'a kubelet that shuts its machine down',
    nodes: [
      node('n1'),
      node('n2'),
      node('n3', { conditions: [{ type: 'GracefulNodeShutdownInProgress', status: 'True', reason: 'Shutdown' }] }),
    ],
    code: 'NodeInOthersWork',
    says: 'another program is at work on n3: its condition GracefulNodeShutdownInProgress is True',
    fix: 'kubectl describe node n3',
    exit: 0,
    explain: { of: 'node n3', code: 'NodeLeaves', says: /^n3 .*its condition GracefulNodeShutdownInProgress is True/ },
  },
  {
    title: 'a worker that is kept out of external load balancers',
    nodes: [
      node('n1'),
      node('n2', { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }),
      node('n3'),
    ],
    code: 'NodeExcluded',
    says: 'n2 has the label node.kubernetes.io/exclude-from-external-load-balancers: load balancers that go by it send nothing',
    fix: 'the roll keeps the label',
    exit: 0,
    explain: { of: 'node n2', code: 'NodeExcluded', says: /^n2 .*keeps it out of external load balancers/ },
  },
  {
    title: 'what a run has announced and not taken back',
    nodes: [
      node('n1'),
      node('n2', {
        conditions: [
          {
            type: 'Drained',
            status: 'True',
            reason: 'DrainCompleted',
            message: 'Even Keel, run 20260101T000000Z-0001',
          },
        ],
      }),
      node('n3'),
    ],
    code: 'AnnouncementLeft',
    says: 'n2 has the condition Drained of run 20260101T000000Z-0001, which does not have it out',
    fix: 'kubectl patch node n2 --subresource=status --type=strategic -p',
    exit: 0,
    explain: 'it takes nothing out and holds nothing up',
  },
  ...(['warn', 'hold'] as const).map(
    (safeToEvict): BadSituation => ({
      title: `two jobs that are not to be evicted, and drain.safeToEvict: ${safeToEvict}`,
      objects: replicas('train', { on: ['n1', 'n2'], metadata: { annotations: NOT_SAFE } }),
      spec: { drain: { safeToEvict } },
      code: 'PodNotSafeToEvict',
      says: `2 pods of ReplicaSet default/train say that they are not to be evicted (cluster-autoscaler.kubernetes.io/safe-to-evict: "false"): ${
        safeToEvict === 'warn'
          ? 'a drain evicts them all the same'
          : 'the roll does not begin the node before they are gone'
      }`,
      fix: safeToEvict === 'warn' ? 'drain.safeToEvict: hold' : 'let them end first',
      exit: 0,
      explain: 'a roll says it in its hold, where its file asks for that; nothing else goes by it',
    }),
  ),
]
