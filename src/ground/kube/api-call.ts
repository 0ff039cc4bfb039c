/** A request in the API's own words: `verb` and `resource` as RBAC writes them, so that a refusal can name them. */
export interface ApiCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'
  /** `nodes`, `pods/eviction`, `leases.coordination.k8s.io`. */
  readonly resource: string
  /** Encoded. */
  readonly path: string
  /** A list is one parameter given again and again. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  /** Media types of the answer; absent: JSON. */
  readonly accept?: string
  /** Of a patch: a list is a JSON patch, an object a merge patch. */
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

/** One segment of a path, from a name. */
export const segment = (name: string): string => encodeURIComponent(name)
