import type { ApiObject } from '../world/api-object.ts'
import { API_RESOURCES, apiVersionOf } from '../world/api-resource.ts'
import { columnsOf } from './table-columns.ts'

/** `metav1.Table`: what kubectl prints. */
interface Table {
  readonly kind: 'Table'
  readonly apiVersion: 'meta.k8s.io/v1'
  readonly metadata: unknown
  readonly columnDefinitions: readonly {
    readonly name: string
    readonly type: string
    readonly format: string
    readonly description: string
    /** Above 0: in the wide form alone. */
    readonly priority: number
  }[]
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: unknown }[]
}

/** Whether a client would rather have a table: kubectl does. */
export const wantsTable = (accept: string | undefined): boolean => /;as=Table(;|,|$)/.test(accept ?? '')

/** An object or a list of them as a table; undefined where it is neither. */
export function tableOf(body: unknown, nowMs: number): Table | undefined {
  const { kind, apiVersion, metadata, items } = body as Partial<ApiObject> & { readonly items?: readonly ApiObject[] }
  const resource = API_RESOURCES.find(
    (each) => (each.kind === kind || `${each.kind}List` === kind) && apiVersionOf(each) === apiVersion,
  )
  if (resource === undefined) return undefined
  const objects = items ?? [body as ApiObject]
  const columns = columnsOf(resource)
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: items === undefined ? { resourceVersion: (metadata as ApiObject['metadata']).resourceVersion } : metadata,
    columnDefinitions: columns.map(({ name, wide = false }) => ({
      name,
      type: 'string',
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: wide ? 1 : 0,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, nowMs)),
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
    })),
  }
}
