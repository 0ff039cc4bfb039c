import type { ApiManifest, BadSituation } from '../../support/preflight/bad-situation.ts'
import { node, pods } from '../../support/preflight/manifests.ts'

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

/** What is left of the control plane while one of its nodes is away, and when it comes. */
export const PLANE_SITUATIONS: readonly BadSituation[] = [
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
]
