import { escapeForeign } from '../model/foreign-text.ts'
import { isPathPart } from '../model/schema/api-names.ts'
import { WorldError } from '../model/world-error.ts'

/** A request in the words of the API: `verb` and `resource` as in RBAC, so that a refusal can name them. */
export interface ApiCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'
  /** `nodes`, `pods/eviction`, `leases.coordination.k8s.io`. */
  readonly resource: string
  /** Already encoded. */
  readonly path: string
  /** A list is one parameter that is repeated. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  /** Media types of the answer; absent: JSON. */
  readonly accept?: string
  /** How large the answer may be; absent: 64 MiB. */
  readonly bytesMax?: number
  /** The user by whose rights it is made (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation). */
  readonly as?: string
  /** For a patch, a list is a JSON patch and an object a merge patch. */
  readonly body?: unknown
  /** The patch merges lists by the keys of their entries, as the types of the API say. */
  readonly isStrategic?: true
}

export interface ApiReply {
  readonly status: number
  readonly body: unknown
  /** Retry-After, in milliseconds. */
  readonly retryAfterMs: number | undefined
}

/** A name as one segment of a path. WorldError KUBE_NAME where it would be none, or several: the API server decodes a path before it splits it. */
export const segment = (name: string): string => encodeURIComponent(checkedPart('name', name))

/** The same text. WorldError KUBE_NAME where the API has no such part of a path. */
export function checkedPart(part: Parameters<typeof isPathPart>[0], value: string): string {
  if (isPathPart(part, value)) return value
  throw new WorldError(`${escapeForeign(value, 60)} is not the ${part} of something in the API`, {
    code: 'KUBE_NAME',
    retry: 'never',
  })
}
