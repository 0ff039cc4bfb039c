import type { Untrusted } from './untrusted.ts'

/**
 * One kind of the Kubernetes API as a value: its path, its name in RBAC and Events, and its parser. A controller that needs
 * another kind adds a value; no adapter changes.
 */
export interface ObjectKind<T> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** Plural, as in paths and in RBAC: `deployments`. */
  readonly resource: string
  /** The name in objects: `Deployment`. */
  readonly kind: string
  readonly namespaced: boolean
  /** Keeps only the fields that are used. Throws MalformedReply where one of them makes no sense. */
  readonly parse: (object: Untrusted) => T
}

/** `apps/v1`, or `v1` for the core group: the form in objects. */
export const apiVersionOf = ({ group, version }: Pick<ObjectKind<unknown>, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

/** `deployments.apps`, or `nodes` for the core group: the form in RBAC and in messages of the API. */
export const qualifiedResource = ({ group, resource }: Pick<ObjectKind<unknown>, 'group' | 'resource'>): string =>
  group === '' ? resource : `${resource}.${group}`
