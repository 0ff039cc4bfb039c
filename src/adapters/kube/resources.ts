import type { Untrusted } from '../../model/untrusted.ts'
import type { Kind, KindMap } from '../../ports/cluster.ts'
import { parseDisruptionBudget } from './parse-disruption-budget.ts'
import { parseEndpointSlice } from './parse-endpoint-slice.ts'
import { parseNode } from './parse-node.ts'
import { parsePod } from './parse-pod.ts'
import { parseService } from './parse-service.ts'
import { parseVolumeAttachment, parseVolumeClaim } from './parse-volume.ts'
import { parseWorkload } from './parse-workload.ts'

/** Where a kind is served, what RBAC calls it, and how its objects are read. */
export interface Resource<T> {
  readonly path: string
  readonly resource: string
  readonly parse: (object: Untrusted) => T
  /** Narrows what is listed and watched. */
  readonly query?: Readonly<Record<string, string>>
  /** How long a watch may be silent and be taken for alive; where absent, as long as bookmarks may take. */
  readonly idleMs?: number
}

export const RESOURCES: { readonly [K in Kind]: Resource<KindMap[K]> } = {
  nodes: { path: '/api/v1/nodes', resource: 'nodes', parse: parseNode },
  pods: { path: '/api/v1/pods', resource: 'pods', parse: parsePod },
  services: { path: '/api/v1/services', resource: 'services', parse: parseService },
  volumeclaims: {
    path: '/api/v1/persistentvolumeclaims',
    resource: 'persistentvolumeclaims',
    parse: parseVolumeClaim,
  },
  disruptionbudgets: {
    path: '/apis/policy/v1/poddisruptionbudgets',
    resource: 'poddisruptionbudgets.policy',
    parse: parseDisruptionBudget,
  },
  deployments: { path: '/apis/apps/v1/deployments', resource: 'deployments.apps', parse: parseWorkload('Deployment') },
  replicasets: { path: '/apis/apps/v1/replicasets', resource: 'replicasets.apps', parse: parseWorkload('ReplicaSet') },
  statefulsets: {
    path: '/apis/apps/v1/statefulsets',
    resource: 'statefulsets.apps',
    parse: parseWorkload('StatefulSet'),
  },
  daemonsets: { path: '/apis/apps/v1/daemonsets', resource: 'daemonsets.apps', parse: parseWorkload('DaemonSet') },
  volumeattachments: {
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    resource: 'volumeattachments.storage.k8s.io',
    parse: parseVolumeAttachment,
  },
  endpointslices: {
    path: '/apis/discovery.k8s.io/v1/endpointslices',
    resource: 'endpointslices.discovery.k8s.io',
    parse: parseEndpointSlice,
  },
}
