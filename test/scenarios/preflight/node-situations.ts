import type { ApiManifest, BadSituation } from '../../support/preflight/bad-situation.ts'
import { node, pods } from '../../support/preflight/manifests.ts'
import { inspection } from '../../support/preflight/servers.ts'
import { aRecord } from '../../support/roll-world.ts'

const PLANE = { 'node-role.kubernetes.io/control-plane': '' }
const planes = ['n1', 'n2', 'n3'].map((name) => node(name, { labels: PLANE }))

const staticPods = (
  component: string,
  on: readonly string[],
  unready: readonly number[] = [],
): readonly ApiManifest[] =>
  pods(component, {
    on,
    unready,
    namespace: 'kube-system',
    metadata: { labels: { component }, annotations: { 'kubernetes.io/config.mirror': 'x' } },
  }).map((pod, i) => ({ ...pod, metadata: { ...pod.metadata, name: `${component}-${i}` } }))

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

/** What is left of the control plane, and what others have left on nodes. */
export const NODE_SITUATIONS: readonly BadSituation[] = [
  {
    title: 'a control plane whose etcd has no member to spare',
    nodes: planes,
    objects: staticPods('etcd', ['n1', 'n2', 'n3'], [2]),
    spec: { nodes: { names: ['n1'] } },
    code: 'EtcdQuorum',
    says: 'etcd has 3 members, 2 of them Ready, and needs 2: without n1 it has no quorum',
    fix: 'repair the other members',
    exit: 3,
    explain: {
      of: 'node n1',
      code: 'EtcdQuorum',
      says: /^n1 is in service and not next: etcd has 3 members, 2 of them Ready, and needs 2: without n1 it has no quorum$/,
    },
  },
  {
    title: 'the only member of etcd',
    nodes: [node('n1', { labels: PLANE }), node('n2'), node('n3')],
    objects: staticPods('etcd', ['n1']),
    code: 'EtcdQuorum',
    says: 'n1 has the only member of etcd',
    fix: 'take a backup of etcd first',
    exit: 0,
    explain: { of: 'node n1', code: 'EtcdQuorum', says: /^n1 has the only member of etcd/, isFact: true },
  },
  {
    title: 'a control plane that shows no etcd',
    nodes: planes,
    code: 'EtcdUnseen',
    says: 'no pod of etcd is seen',
    fix: 'etcdctl endpoint health --cluster',
    exit: 0,
    explain: { of: 'node n1', code: 'EtcdUnseen', says: /^no pod of etcd is seen/, isFact: true },
  },
  {
    title: 'the last API server that is Ready',
    nodes: planes,
    objects: [...staticPods('etcd', ['n1', 'n2', 'n3']), ...staticPods('kube-apiserver', ['n1', 'n2'], [1])],
    spec: { nodes: { names: ['n1'] } },
    code: 'LastApiServer',
    says: 'n1 has the only API server that is Ready of 2',
    fix: 'repair the other API servers first',
    exit: 3,
    explain: {
      of: 'node n1',
      code: 'LastApiServer',
      says: /^n1 is in service and not next: n1 has the only API server that is Ready of 2/,
    },
  },
  {
    title: 'a member of etcd that is not Ready, where enough are',
    nodes: [...planes, ...['n4', 'n5'].map((name) => node(name, { labels: PLANE }))],
    objects: staticPods('etcd', ['n1', 'n2', 'n3', 'n4', 'n5'], [4]),
    spec: { nodes: { names: ['n1'] } },
    code: 'ControlPlaneNotReady',
    says: 'static pod kube-system/etcd-4 of n5 is not Ready',
    fix: 'kubectl -n kube-system describe pod etcd-4',
    exit: 0,
    explain: {
      of: 'node n1',
      code: 'ControlPlaneNotReady',
      says: /^n1 is in service and not next: static pod kube-system\/etcd-4 of n5 is not Ready/,
    },
  },
  {
    title: 'a node of the control plane that is named before a worker',
    nodes: [node('n1', { labels: PLANE }), node('n2'), node('n3')],
    spec: { nodes: { names: ['n1', 'n2'] } },
    code: 'ControlPlaneEarly',
    says: 'n1 of the control plane is rolled before n2, a worker',
    fix: 'name the workers first: n2 n1',
    exit: 0,
    explain: 'it is the order of a command line, and nothing of the cluster',
  },
  {
    title: 'kured in the middle of a reboot',
    objects: [kured({ nodeID: 'n2', metadata: { unschedulable: false }, created: '2025-12-31T23:59:00Z', TTL: 0 })],
    code: 'KuredLockHeld',
    says: 'kured (DaemonSet kube-system/kured) reboots n2 now',
    fix: 'kubectl -n kube-system annotate daemonset kured weave.works/kured-node-lock-',
    exit: 3,
    explain: {
      of: 'node n1',
      code: 'KuredLockHeld',
      says: /^n1 is in service and not next: kured \(DaemonSet kube-system\/kured\) reboots n2 now: its lock is held$/,
    },
  },
  {
    title: 'a node that is out for another run, and not in this one',
    nodes: [
      node('n1'),
      node('n2'),
      node('n3', { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord({ run: '20260101T000000Z-0001' })) } }),
    ],
    spec: { nodes: { names: ['n1'] } },
    code: 'RunLeftOut',
    says: 'n3 is out for run 20260101T000000Z-0001',
    fix: 'evenkeel roll resume 20260101T000000Z-0001',
    exit: 0,
    explain: {
      of: 'node n3',
      code: 'LeftBehind',
      says: /^n3 is out and nothing that is seen will bring it back: run 20260101T000000Z-0001 left n3 out/,
    },
  },
  {
    title: 'a node that is out for another run, and in this one',
    nodes: [
      node('n1', { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord({ run: '20260101T000000Z-0001' })) } }),
      node('n2'),
      node('n3'),
    ],
    code: 'NodeRecorded',
    says: 'n1 is out for run 20260101T000000Z-0001',
    fix: 'evenkeel roll resume 20260101T000000Z-0001',
    exit: 2,
    explain: {
      of: 'node n2',
      code: 'BudgetUsedUp',
      says: /^n2 is in service; .* the node budget is used up, so no other node may leave: 1 of 3 nodes is out/,
    },
  },
  {
    title: 'a taint of an earlier run without its record',
    nodes: [
      node('n1', { spec: { taints: [{ key: 'evenkeel.dev/out', effect: 'NoSchedule' }] } }),
      node('n2'),
      node('n3'),
    ],
    code: 'MarkLeft',
    says: 'n1 bears a mark of an earlier run and no record of it',
    fix: 'kubectl taint node n1 evenkeel.dev/out-',
    exit: 0,
    explain: {
      of: 'node n1',
      code: 'MarkLeft',
      says: /^n1 is in service, and no new pod is placed on it: n1 bears a mark of an earlier run and no record of it$/,
    },
  },
  {
    title: 'marks of a run that nobody resumed',
    nodes: [
      node('n1'),
      ...['n2', 'n3'].map((name) =>
        node(name, {
          spec: {
            taints: [{ key: 'evenkeel.dev/to-be-rolled', value: '20260101T000000Z-0001', effect: 'PreferNoSchedule' }],
          },
        }),
      ),
    ],
    code: 'ToComeLeft',
    says: 'n2 and n3 bear the taint evenkeel.dev/to-be-rolled of run 20260101T000000Z-0001',
    fix: 'kubectl taint nodes n2 n3 evenkeel.dev/to-be-rolled-',
    exit: 0,
    explain: { of: 'node n2', code: 'ToCome', says: /begins n2 later, so new pods go to other nodes/, isFact: true },
  },
  {
    title: 'a node that is cordoned already',
    nodes: [node('n1', { spec: { unschedulable: true } }), node('n2'), node('n3')],
    code: 'NodeCordoned',
    says: 'n1 is cordoned and stays so after the roll',
    fix: 'kubectl uncordon n1',
    exit: 0,
    explain: { of: 'node n1', code: 'Cordoned', says: /^n1 is cordoned, so no new pod is placed on it$/, isFact: true },
  },
  {
    title: 'a node that a person claims',
    nodes: [
      node('n1', {
        annotations: { 'evenkeel.dev/maintenance': '{"version":2,"claims":[{"owner":"person/alice","id":"disk"}]}' },
      }),
      node('n2'),
      node('n3'),
    ],
    code: 'NodeClaimed',
    says: 'n1 is claimed by person/alice',
    fix: 'let person/alice withdraw it',
    exit: 0,
    explain: {
      of: 'node n1',
      code: 'Maintenance',
      says: /^n1 is kept out until its claims are withdrawn: person\/alice keeps n1 out$/,
    },
  },
]

const down = { operational: 'down', lastCheckFailed: true } as const
const N1 = { nodes: { names: ['n1'] } }

const NO_BALANCER = 'explain asks no balancer: a plan tells it, and a roll that has begun tells it in its hold'

/** What the balancers have left. */
export const BALANCER_SITUATIONS: readonly BadSituation[] = [
  {
    title: 'a backend of one server',
    inspections: [inspection(['n1'])],
    spec: N1,
    code: 'LastUsableServer',
    says: 'web/n1 is the last usable server of web on lb-1',
    fix: 'set allowLastServer for a pool of one',
    exit: 3,
    explain: NO_BALANCER,
  },
  {
    title: 'a backend whose other server is down',
    inspections: [inspection(['n1', 'n2'], { server: (name) => (name === 'n2' ? down : {}) })],
    spec: N1,
    code: 'LastUsableServer',
    says: 'web/n1 is the last usable server of web on lb-1',
    fix: 'bring another server of web up',
    exit: 0,
    explain: NO_BALANCER,
  },
  {
    title: 'a backend of two servers',
    inspections: [inspection(['n1', 'n2'])],
    spec: N1,
    code: 'BalancerFewServers',
    says: 'web on lb-1 has 2 usable servers: 1 is left while a node is out',
    fix: 'add a server to web',
    exit: 0,
    explain: NO_BALANCER,
  },
  {
    title: 'a pair with different settings',
    inspections: [
      inspection(['n1', 'n2', 'n3']),
      inspection(['n1', 'n2'], { instance: 'lb-2', backend: { mode: 'tcp' } }),
    ],
    code: 'BalancerPairDiffers',
    says: 'backend web of balancer lb is not the same on lb-1 and lb-2: mode http and tcp; n3 on one of them alone',
    fix: 'give both the same haproxy.cfg',
    exit: 0,
    explain: NO_BALANCER,
  },
  {
    title: 'a backend in mode tcp',
    inspections: [inspection(['n1', 'n2', 'n3'], { backend: { mode: 'tcp' } })],
    code: 'BalancerTcpMode',
    says: 'backend web of lb-1 is in mode tcp',
    fix: 'detach.idleLimit',
    exit: 0,
    explain: NO_BALANCER,
  },
  {
    title: 'a backend that ties clients to servers, and may not let them go',
    inspections: [inspection(['n1', 'n2', 'n3'], { server: () => ({ persistent: true }) })],
    code: 'BalancerRedispatch',
    says: 'backend web of lb-1 ties clients to servers',
    fix: 'option redispatch',
    exit: 0,
    explain: NO_BALANCER,
  },
  {
    title: 'a server without a check',
    inspections: [inspection(['n1', 'n2', 'n3'], { server: (name) => (name === 'n2' ? { check: 'none' } : {}) })],
    code: 'BalancerNoCheck',
    says: 'web/n2 on lb-1 has no health check',
    fix: 'add "check" to server n2',
    exit: 0,
    explain: NO_BALANCER,
  },
]
