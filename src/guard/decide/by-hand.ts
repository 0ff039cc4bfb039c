import { present } from '../../ground/model/present.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { ByHand, ByHandList } from '../model/node-guard.ts'

/** What a person wants of the list that is on a NodeGuard. Each person has one entry for a node at most. */
export type ByHandRequest =
  | { readonly kind: 'add'; readonly entry: ByHand }
  | { readonly kind: 'remove'; readonly node: string; readonly by: string }

/** `nothing`: it is so already. `others`: only other persons have written about the node. `unreadable`: what is there makes no sense. */
export type ByHandChange =
  | { readonly kind: 'write'; readonly entries: readonly ByHand[]; readonly left: readonly ByHand[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'others'; readonly entries: readonly ByHand[] }
  | { readonly kind: 'unreadable'; readonly why: string }

interface How {
  readonly now: WallMs
  /** What cannot be read is given up. */
  readonly replaces: boolean
}

export const isEntryOver = ({ until }: ByHand, now: WallMs): boolean => until !== undefined && Date.parse(until) <= now

/** What becomes of the list: entries of others stay, and those that are over go. */
export function changeByHand({ entries, unreadable }: ByHandList, request: ByHandRequest, how: How): ByHandChange {
  if (unreadable !== undefined && !how.replaces) return { kind: 'unreadable', why: unreadable }
  const { node, by } = request.kind === 'add' ? request.entry : request
  const current = entries.filter((entry) => !isEntryOver(entry, how.now))
  const rest = current.filter((entry) => entry.node !== node || entry.by !== by)
  const left = rest.filter((entry) => entry.node === node)
  if (request.kind === 'add') return { kind: 'write', entries: [...rest, request.entry], left }
  // A list that could not be read is written anew, whatever was in it.
  if (rest.length < current.length || unreadable !== undefined) return { kind: 'write', entries: rest, left }
  return left.length > 0 ? { kind: 'others', entries: left } : { kind: 'nothing' }
}

/** As the annotation has it; undefined: it is to be removed. */
export const formatByHand = (entries: readonly ByHand[]): string | undefined =>
  entries.length === 0 ? undefined : JSON.stringify(entries.map(inOrder))

const inOrder = ({ node, by, until, why }: ByHand): ByHand => ({
  ...{ node, by },
  ...present({ until, why }),
})
