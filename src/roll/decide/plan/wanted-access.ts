import type { Access } from '../../../ground/model/access.ts'
import { present } from '../../../ground/model/present.ts'
import { BUDGET_CONFIG_MAP } from '../../../service/model/budget-object.ts'
import { GRANTS_CONFIG_MAP } from '../../../service/model/cordon-grants.ts'
import type { DnsSpec, RollSpec } from '../../model/roll-spec.ts'

const read = (group: string, resource: string): readonly Access[] =>
  ['list', 'watch'].map((verb) => ({ verb, group, resource }))

/** Every right that a roll needs: `deploy/roll-rbac.yaml` grants these, and the right to the Corefile. */
export function wantedAccess(slotsNamespace: string): readonly Access[] {
  return [
    ...read('', 'nodes'),
    { verb: 'get', group: '', resource: 'nodes' },
    { verb: 'patch', group: '', resource: 'nodes' },
    ...read('', 'pods'),
    { verb: 'create', group: '', resource: 'pods', subresource: 'eviction' },
    ...read('', 'persistentvolumeclaims'),
    { verb: 'list', group: '', resource: 'services' },
    { verb: 'get', group: '', resource: 'namespaces', name: 'kube-system' },
    ...['deployments', 'replicasets', 'statefulsets', 'daemonsets'].flatMap((resource) => read('apps', resource)),
    ...read('policy', 'poddisruptionbudgets'),
    ...read('storage.k8s.io', 'volumeattachments'),
    ...read('discovery.k8s.io', 'endpointslices'),
    ...['get', 'create', 'patch'].map((verb) => ({
      verb,
      group: 'coordination.k8s.io',
      resource: 'leases',
      namespace: slotsNamespace,
    })),
    ...read('coordination.k8s.io', 'leases').map((access) => ({ ...access, namespace: 'kube-node-lease' })),
  ]
}

interface Chosen {
  readonly namespaces?: readonly string[]
}

/** In the namespaces that the entries name; in all namespaces if one entry names none. */
function onPods(verb: string, entries: readonly Chosen[]): readonly Access[] {
  if (entries.length === 0) return []
  const access = { verb, group: '', resource: 'pods' }
  if (entries.some(({ namespaces }) => namespaces === undefined)) return [access]
  const places = new Set(entries.flatMap(({ namespaces = [] }) => namespaces))
  return [...places].map((namespace) => ({ ...access, namespace }))
}

/** Only where pods leave politely, or are replaced first: `deploy/roll-polite-rbac.yaml` grants these. */
export function politeAccess({ polite = [], blocked = [] }: RollSpec['drain']): readonly Access[] {
  const patches = onPods('patch', [...polite, ...blocked.filter(({ surgeMs }) => surgeMs !== undefined)])
  return patches.length === 0 ? [] : [...patches, { verb: 'watch', group: '', resource: 'services' }]
}

/** Only where pods may be deleted in the end, by the file or by an answer: `deploy/roll-delete-rbac.yaml` grants these. */
export const deleteAccess = ({ blocked = [] }: RollSpec['drain']): readonly Access[] =>
  onPods(
    'delete',
    blocked.filter((entry) => entry.delete || entry.askMs !== undefined),
  )

/**
 * Only where the file lets conditions of nodes be announced: `deploy/roll-announce-rbac.yaml` grants it. Without it the roll
 * goes on.
 */
export const announceAccess = ({ announce }: Pick<RollSpec, 'announce'>): readonly Access[] =>
  announce === undefined ? [] : [{ verb: 'patch', group: '', resource: 'nodes', subresource: 'status' }]

/** Only where the file asks for kured's lock: `deploy/roll-kured-rbac.yaml` grants these. */
export const kuredAccess = ({ reboot: { kuredLock } }: Pick<RollSpec, 'reboot'>): readonly Access[] =>
  kuredLock === undefined
    ? []
    : ['get', 'patch'].map((verb) => ({ verb, group: 'apps', resource: 'daemonsets', ...kuredLock }))

/** Only where the journals are ConfigMaps (`--state-dir configmaps:NAMESPACE`): `deploy/roll-journal-rbac.yaml` grants these. */
export const journalAccess = (namespace: string): readonly Access[] => [
  ...['get', 'list', 'create', 'patch', 'delete'].map((verb) => ({
    verb,
    group: '',
    resource: 'configmaps',
    namespace,
  })),
  ...['get', 'create', 'patch', 'delete'].map((verb) => ({
    ...{ verb, group: 'coordination.k8s.io' },
    ...{ resource: 'leases', namespace },
  })),
]

/** Only where a gate reads an object of the API. No file of ours grants these rights. */
export const gateAccess = ({ gates = [] }: Pick<RollSpec, 'gates'>): readonly Access[] =>
  gates.flatMap(({ question }) => {
    if (question.kind !== 'object') return []
    const { group, resource, namespace, object } = question
    const name = object.includes('{') ? {} : { name: object }
    return [{ verb: 'get', group, resource, ...present({ namespace }), ...name }]
  })

/** The Corefile names the cluster domain; the configuration of kubelets names the address that pods ask. */
const OF_DNS: readonly Access[] = ['coredns', 'kubelet-config'].map((name) => ({
  verb: 'get',
  group: '',
  resource: 'configmaps',
  name,
  namespace: 'kube-system',
}))

/**
 * Rights that a roll can do without, and then knows less of DNS. Relays are in namespaces of their own, and need what
 * `deploy/roll-dns-rbac.yaml` grants.
 */
export function spareAccess(dns: DnsSpec | undefined): readonly Access[] {
  if (dns === undefined) return []
  if (dns.image === undefined) return OF_DNS
  const { namespace } = dns
  return [
    ...OF_DNS,
    ...['create', 'delete'].map((verb) => ({ verb, group: 'batch', resource: 'jobs', namespace })),
    { verb: 'list', group: '', resource: 'pods', namespace },
    ...['get', 'create'].map((verb) => ({
      verb,
      group: '',
      resource: 'pods',
      subresource: 'portforward',
      namespace,
    })),
  ]
}

/** A right that a plan can do without: then it does not know which pods are bound to a node by their volumes. */
export const planAccess: readonly Access[] = [{ verb: 'list', group: '', resource: 'persistentvolumes' }]

/**
 * A right that a roll can do without: then `kubectl describe node` does not show what it does. The Events of a Node are in
 * `default`.
 */
export const eventAccess: readonly Access[] = [{ verb: 'create', group: '', resource: 'events', namespace: 'default' }]

/** Rights that a roll can do without: then one node may be out, and a granted cordon counts once its checks fail. */
export const budgetAccess = ({
  namespace,
  grantsNamespace = namespace,
}: Pick<RollSpec['slots'], 'namespace' | 'grantsNamespace'>): readonly Access[] => [
  { verb: 'get', group: '', resource: 'configmaps', name: BUDGET_CONFIG_MAP, namespace },
  { verb: 'get', group: '', resource: 'configmaps', name: GRANTS_CONFIG_MAP, namespace: grantsNamespace },
]
