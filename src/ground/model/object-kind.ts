import type { Untrusted } from './untrusted.ts'

/**
 * One kind of the Kubernetes API as a value: where it is served, what RBAC and Events call it, and how its objects are
 * read. A kind that a controller needs is one more value; no adapter changes for it.
 */
export interface ObjectKind<T> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** Plural, as in paths and in RBAC: `deployments`. */
  readonly resource: string
  /** As objects carry it: `Deployment`. */
  readonly kind: string
  readonly namespaced: boolean
  /** Keeps the fields in use and no others. Throws MalformedReply where one of them makes no sense. */
  readonly parse: (object: Untrusted) => T
}

/** `apps/v1`, or `v1` for the core group: as objects carry it. */
export const apiVersionOf = ({ group, version }: Pick<ObjectKind<unknown>, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

/** `deployments.apps`, or `nodes` for the core group: as RBAC and messages of the API call it. */
export const qualifiedResource = ({ group, resource }: Pick<ObjectKind<unknown>, 'group' | 'resource'>): string =>
  group === '' ? resource : `${resource}.${group}`
