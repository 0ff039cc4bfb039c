import { present } from '../../ground/model/present.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { ByHand, ByHandList } from '../model/node-guard.ts'

/** A change of a list on a NodeGuard that a person asks for. Each person has at most one entry for a node. */
export type ByHandRequest =
  | { readonly kind: 'add'; readonly entry: ByHand }
  | { readonly kind: 'remove'; readonly node: string; readonly by: string }

/**
 * `nothing`: the list is as asked already. `others`: only other persons have an entry for the node. `unreadable`: the list cannot be read.
 */
export type ByHandChange =
  | { readonly kind: 'write'; readonly entries: readonly ByHand[]; readonly left: readonly ByHand[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'others'; readonly entries: readonly ByHand[] }
  | { readonly kind: 'unreadable'; readonly why: string }

interface How {
  readonly now: WallMs
  /** A list that cannot be read is replaced. */
  readonly replaces: boolean
}

export const isEntryOver = ({ until }: ByHand, now: WallMs): boolean => until !== undefined && Date.parse(until) <= now

/** The list after the change. Entries of others stay, and expired ones go. */
export function changeByHand({ entries, unreadable }: ByHandList, request: ByHandRequest, how: How): ByHandChange {
  if (unreadable !== undefined && !how.replaces) return { kind: 'unreadable', why: unreadable }
  const { node, by } = request.kind === 'add' ? request.entry : request
  const current = entries.filter((entry) => !isEntryOver(entry, how.now))
  const rest = current.filter((entry) => entry.node !== node || entry.by !== by)
  const left = rest.filter((entry) => entry.node === node)
  if (request.kind === 'add') return { kind: 'write', entries: [...rest, request.entry], left }
  // A list that cannot be read is written anew.
  if (rest.length < current.length || unreadable !== undefined) return { kind: 'write', entries: rest, left }
  return left.length > 0 ? { kind: 'others', entries: left } : { kind: 'nothing' }
}

/** The value of the annotation. Undefined: the annotation is to be removed. */
export const formatByHand = (entries: readonly ByHand[]): string | undefined =>
  entries.length === 0 ? undefined : JSON.stringify(entries.map(inOrder))

const inOrder = ({ node, by, until, why }: ByHand): ByHand => ({
  ...{ node, by },
  ...present({ until, why }),
})
