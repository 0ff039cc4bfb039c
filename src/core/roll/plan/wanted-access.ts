import type { Access } from '../../../model/access.ts'

const read = (group: string, resource: string): readonly Access[] =>
  ['list', 'watch'].map((verb) => ({ verb, group, resource }))

/** Every right a roll uses, and no other: `deploy/roll-rbac.yaml` grants exactly these. */
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
