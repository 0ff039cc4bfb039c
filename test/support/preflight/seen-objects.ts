import { isDeepStrictEqual } from 'node:util'
import type { RawApi } from '../raw-api.ts'

/** All that a program could have changed in a situation. */
const COLLECTIONS = [
  '/api/v1/nodes',
  '/api/v1/pods',
  '/api/v1/persistentvolumes',
  '/api/v1/persistentvolumeclaims',
  '/api/v1/services',
  '/api/v1/configmaps',
  '/apis/apps/v1/replicasets',
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/daemonsets',
  '/apis/policy/v1/poddisruptionbudgets',
  '/apis/coordination.k8s.io/v1/leases',
]

interface WholeObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** Each object whole, by its collection and name, but for what says only when and by whom it was written. */
export type SeenObjects = ReadonlyMap<string, object>

export async function seenObjects(raw: RawApi): Promise<SeenObjects> {
  const lists = await Promise.all(
    COLLECTIONS.map(async (path) => {
      const { items = [] } = (await raw('GET', path)).body as { readonly items?: readonly WholeObject[] }
      return items
        .filter(({ metadata }) => !isBusy(path, metadata))
        .map((object) => [`${path} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, plain(object)] as const)
    }),
  )
  return new Map(lists.flat())
}

/** Leases of the components of the cluster, which are renewed all the time. */
const isBusy = (path: string, { namespace }: WholeObject['metadata']): boolean =>
  path.endsWith('/leases') && (namespace === 'kube-system' || namespace === 'kube-node-lease')

/** Of a status, the conditions are left out that controllers write with the time. */
function plain({ metadata, status, ...rest }: WholeObject): object {
  const { resourceVersion: _, managedFields: __, ...kept } = metadata
  const { conditions: ___, ...lasting } = (status ?? {}) as Readonly<Record<string, unknown>>
  return { metadata: kept, status: lasting, ...rest }
}

/** What is not as it was, one line each. */
export function changedObjects(before: SeenObjects, after: SeenObjects): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return names
    .filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)))
    .map((name) => `${name}: ${JSON.stringify(before.get(name))} became ${JSON.stringify(after.get(name))}`)
}
