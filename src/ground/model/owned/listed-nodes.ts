import { isJsonObject } from '../json-object.ts'

/** What a status says of the nodes that were not in service: of each that it lists its state, and since when. */
export interface ListedNodes {
  readonly listed: ReadonlyMap<string, { readonly state: string; readonly since?: string }>
  /** More were not in service than it lists. */
  readonly truncated: boolean
}

export function listedNodes({ nodes, truncated }: Readonly<Record<string, unknown>>): ListedNodes {
  const listed = (Array.isArray(nodes) ? nodes : []).flatMap((node: unknown) => {
    const { name, state, since } = isJsonObject(node) ? node : {}
    if (typeof name !== 'string' || typeof state !== 'string') return []
    return [[name, { state, ...(typeof since === 'string' ? { since } : {}) }] as const]
  })
  return { listed: new Map(listed), truncated: truncated === true }
}

/**
 * Since when a node has been in its state. While the state stays the same, the time in the status is kept, even after a restart of the
 * controller. Undefined: the time is not known, because an earlier status did not say it.
 */
export function sinceOf(
  status: ListedNodes | undefined,
  { name, state, now }: { readonly name: string; readonly state: string; readonly now: string },
): string | undefined {
  const before = status?.listed.get(name)
  if (before?.state === state) return before.since
  return before === undefined && status?.truncated === true ? undefined : now
}
