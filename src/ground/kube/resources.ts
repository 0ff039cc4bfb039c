import { invariant } from '../model/invariant.ts'
import { type ObjectKind, qualifiedResource } from '../model/object-kind.ts'
import { present } from '../model/present.ts'
import type { Untrusted } from '../model/untrusted.ts'
import type { ObjectAddress, Selection } from '../ports/objects.ts'
import { checkedPart, segment } from './api-call.ts'

/** The path of a kind in the API, its name in RBAC, and the parser of its objects. */
export interface Resource<T> {
  readonly path: string
  readonly resource: string
  readonly parse: (object: Untrusted) => T
  /** The user by whose rights it is listed; absent: ours. */
  readonly as?: string
  /** Restricts what is listed and watched. */
  readonly query?: Readonly<Record<string, string>>
  /** The media type of a list; absent: whole objects. */
  readonly accept?: string
  /** How many objects a page has; absent: 500. */
  readonly pageItems?: number
  /** How large a page may be, before smaller ones are asked for; absent: 32 MiB. */
  readonly pageBytes?: number
  /** How long a silent watch counts as alive; absent: as long as bookmarks may take. */
  readonly idleMs?: number
}

/** The resource of a selection of objects, for list, watch and writes. */
export function resourceOf<T>({ kind, namespace, page, ...selectors }: Selection<T>): Resource<T> {
  const { labelSelector, fieldSelector } = selectors
  return {
    path: collectionOf(kind, namespace),
    resource: qualifiedResource(kind),
    parse: kind.parse,
    query: { ...present({ labelSelector, fieldSelector }) },
    ...(page === undefined ? {} : { pageItems: page.items, pageBytes: page.bytes }),
  }
}

export function objectPath<T>({ kind, namespace, name }: ObjectAddress<T>): string {
  invariant(
    kind.namespaced === (namespace !== undefined),
    `a namespaced kind needs a namespace, and no other takes one: ${kind.resource}`,
  )
  return `${collectionOf(kind, namespace)}/${segment(name)}`
}

/** Each part is checked: a kind may come from an object of a user. */
function collectionOf(kind: ObjectKind<unknown>, namespace: string | undefined): string {
  invariant(kind.namespaced || namespace === undefined, `${kind.resource} have no namespace`)
  const group = checkedPart('group', kind.group)
  const version = checkedPart('version', kind.version)
  const within = namespace === undefined ? '' : `/namespaces/${checkedPart('namespace', namespace)}`
  return `${group === '' ? '/api' : `/apis/${group}`}/${version}${within}/${checkedPart('resource', kind.resource)}`
}
