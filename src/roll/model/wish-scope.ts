/** What a gate, a hook or a silence of the file is for: nodes of the cluster, machines of `hosts`. */
export const WISH_SCOPES = ['nodes', 'hosts'] as const

export type WishScope = (typeof WISH_SCOPES)[number]

export interface Scoped {
  /** Absent: nodes alone. */
  readonly appliesTo?: readonly WishScope[]
}

export const isFor = ({ appliesTo = ['nodes'] }: Scoped, scope: WishScope): boolean => appliesTo.includes(scope)
