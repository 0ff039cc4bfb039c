import type { ObjectKind } from '../model/object-kind.ts'
import type { Kind, KindMap } from '../ports/cluster.ts'
import { parseDisruptionBudget } from './parse-disruption-budget.ts'
import { parseEndpointSlice } from './parse-endpoint-slice.ts'
import { parseNode } from './parse-node.ts'
import { parsePlacedPod } from './parse-placed-pod.ts'
import { parsePod } from './parse-pod.ts'
import { parseService } from './parse-service.ts'
import { parsePersistentVolume, parseVolumeAttachment, parseVolumeClaim } from './parse-volume.ts'
import { parseWorkload } from './parse-workload.ts'

const core = { group: '', version: 'v1', namespaced: true } as const
const apps = { group: 'apps', version: 'v1', namespaced: true } as const

/** The kinds of the port `Cluster`. */
export const CLUSTER_KINDS: { readonly [K in Kind]: ObjectKind<KindMap[K]> } = {
  nodes: { ...core, resource: 'nodes', kind: 'Node', namespaced: false, parse: parseNode },
  pods: { ...core, resource: 'pods', kind: 'Pod', parse: parsePod },
  placedpods: { ...core, resource: 'pods', kind: 'Pod', parse: parsePlacedPod },
  services: { ...core, resource: 'services', kind: 'Service', parse: parseService },
  volumeclaims: {
    ...core,
    resource: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    parse: parseVolumeClaim,
  },
  persistentvolumes: {
    ...core,
    namespaced: false,
    resource: 'persistentvolumes',
    kind: 'PersistentVolume',
    parse: parsePersistentVolume,
  },
  disruptionbudgets: {
    group: 'policy',
    version: 'v1',
    resource: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    namespaced: true,
    parse: parseDisruptionBudget,
  },
  deployments: { ...apps, resource: 'deployments', kind: 'Deployment', parse: parseWorkload('Deployment') },
  replicasets: { ...apps, resource: 'replicasets', kind: 'ReplicaSet', parse: parseWorkload('ReplicaSet') },
  statefulsets: { ...apps, resource: 'statefulsets', kind: 'StatefulSet', parse: parseWorkload('StatefulSet') },
  daemonsets: { ...apps, resource: 'daemonsets', kind: 'DaemonSet', parse: parseWorkload('DaemonSet') },
  volumeattachments: {
    group: 'storage.k8s.io',
    version: 'v1',
    resource: 'volumeattachments',
    kind: 'VolumeAttachment',
    namespaced: false,
    parse: parseVolumeAttachment,
  },
  endpointslices: {
    group: 'discovery.k8s.io',
    version: 'v1',
    resource: 'endpointslices',
    kind: 'EndpointSlice',
    namespaced: true,
    parse: parseEndpointSlice,
  },
}
