import { isDeepStrictEqual } from 'node:util'

/** All that a program could have changed in a situation. */
const COLLECTIONS = [
  '/api/v1/nodes',
  '/api/v1/pods',
  '/api/v1/persistentvolumes',
  '/api/v1/persistentvolumeclaims',
  '/api/v1/services',
  '/api/v1/configmaps',
  '/api/v1/resourcequotas',
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

export async function seenObjects(list: (path: string) => Promise<readonly object[]>): Promise<SeenObjects> {
  const lists = await Promise.all(
    COLLECTIONS.map(async (path) => {
      const items = (await list(path)) as readonly WholeObject[]
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
function plain({ metadata, status, spec, ...rest }: WholeObject): object {
  const { resourceVersion: _, managedFields: __, annotations, ...kept } = metadata
  const { conditions: ___, ...lasting } = (status ?? {}) as Readonly<Record<string, unknown>>
  return {
    metadata: { ...kept, annotations: withoutApplied(annotations ?? {}) },
    spec: said(spec),
    status: lasting,
    ...rest,
  }
}

/** `kubectl apply` writes down what it was given. */
const withoutApplied = (annotations: object): object =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('kubectl.kubernetes.io/')))

/** A field that is false is left out by the API server, and stays where the embedded one was told so. */
const said = (spec: unknown): object =>
  Object.fromEntries(Object.entries(spec ?? {}).filter(([, value]) => value !== false))

/** What is not as it was, one line each: the object, and the field. */
export const changedObjects = (before: SeenObjects, after: SeenObjects): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((name) =>
    changedFields(before.get(name), after.get(name)).map((change) => `${name}${change}`),
  )

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function changedFields(before: unknown, after: unknown): readonly string[] {
  if (isDeepStrictEqual(before, after)) return []
  if (!isObject(before) || !isObject(after)) return [`: ${JSON.stringify(before)} became ${JSON.stringify(after)}`]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key) => changedFields(before[key], after[key]).map((change) => `.${key}${change}`))
}
