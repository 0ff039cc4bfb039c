/** What a gate, a hook or a silence applies to: nodes of the cluster, machines of `hosts`. */
export const REQUEST_SCOPES = ['nodes', 'hosts'] as const

export type RequestScope = (typeof REQUEST_SCOPES)[number]

export interface Scoped {
  /** Absent: only to nodes. */
  readonly appliesTo?: readonly RequestScope[]
}

export const isFor = ({ appliesTo = ['nodes'] }: Scoped, scope: RequestScope): boolean => appliesTo.includes(scope)
