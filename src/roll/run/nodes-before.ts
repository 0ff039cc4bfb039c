import { type Action, movesTraffic } from '../../service/model/action.ts'
import { serverKey } from '../../service/model/balancer.ts'
import type { NodeRecord } from '../../service/model/node-record.ts'
import type { EvictedPod } from '../decide/evidence.ts'
import type { JournalEntry } from '../ports/journal.ts'
import { isJournaledEvent } from './journaled-event.ts'

/** The record that was written to a node on which more was done. It goes with a Node object that is deleted, and this stays. */
export interface RecordBefore {
  readonly record: NodeRecord
  /** The reboot command was sent: the reboot may still come. */
  readonly isSent: boolean
}

/** What earlier processes of a run did to a node, since they began it last and until they put it back. */
export interface NodeBefore {
  /** As it was meant: it may not have been written. */
  readonly record?: NodeRecord
  /** More than the record was meant, so that the record was on the node. */
  readonly isChanged: boolean
  readonly sentTo: readonly string[]
  /** Pods that were evicted, or may have been. */
  readonly evicted: Readonly<Record<string, EvictedPod>>
  /** Servers that were set to `drain` or `maint`, or may have been. */
  readonly setOut: Readonly<Record<string, true>>
}

const NOTHING: NodeBefore = { isChanged: false, sentTo: [], evicted: {}, setOut: {} }

/** Before the record is on the node, these are meant as well. */
const BEFORE_RECORD: ReadonlySet<string> = new Set<Action['kind']>(['takeSlot', 'writeRecord', 'runHook'])

/**
 * By node. A node that was put back has nothing from before: what is begun there later begins anew. It was put back once its record
 * was taken off; its slot goes after that.
 */
export function nodesBefore(entries: readonly JournalEntry[]): ReadonlyMap<string, NodeBefore> {
  const nodes = new Map<string, NodeBefore>()
  for (const entry of entries) {
    if (isMeant(entry))
      for (const action of entry.actions) nodes.set(action.node, withMeant(nodes.get(action.node), action))
    if (isOfPod(entry)) nodes.set(entry.node, withPod(nodes.get(entry.node), entry))
    const putBack = nodePutBack(entry)
    if (putBack !== undefined) nodes.delete(putBack)
  }
  return nodes
}

function withMeant(before: NodeBefore = NOTHING, action: Action): NodeBefore {
  if (action.kind === 'writeRecord' && action.asOf !== undefined) return { ...NOTHING, record: action.record }
  if (action.kind === 'writeRecord') return { ...before, record: action.record }
  const isChanged = before.isChanged || !BEFORE_RECORD.has(action.kind)
  const sentTo = action.kind === 'sendReboot' ? [...before.sentTo, action.bootId] : before.sentTo
  const isSetOut = movesTraffic(action) && action.state !== 'ready'
  const setOut = isSetOut ? { ...before.setOut, [serverKey(action.ref)]: true as const } : before.setOut
  return { ...before, isChanged, sentTo, setOut }
}

function withPod(before: NodeBefore = NOTHING, { uid, pod }: PodEntry): NodeBefore {
  const { [uid]: _, ...others } = before.evicted
  return { ...before, evicted: pod === undefined ? others : { ...others, [uid]: pod } }
}

function nodePutBack(entry: JournalEntry): string | undefined {
  if (isPutBack(entry)) return entry.node
  if (!isJournaledEvent(entry) || entry.type !== 'write' || !entry.ok) return undefined
  return entry.action === 'removeRecord' || entry.action === 'releaseSlot' ? entry.node : undefined
}

/** The record, where the node had it. */
export const recordBefore = ({ record, isChanged, sentTo }: NodeBefore): RecordBefore | undefined =>
  record === undefined || !isChanged ? undefined : { record, isSent: sentTo.includes(record.bootId) }

type MeantEntry = JournalEntry & { readonly actions: readonly Action[] }
/** `pod` is absent where it stays. */
type PodEntry = JournalEntry & { readonly node: string; readonly uid: string; readonly pod?: EvictedPod }

export const isMeant = (entry: JournalEntry): entry is MeantEntry => entry.type === 'meant'
/** An eviction that was to be sent may have been accepted. */
const isOfPod = (entry: JournalEntry): entry is PodEntry => entry.type === 'evicting' || entry.type === 'evicted'
/** A process found that others had put the node back. */
const isPutBack = (entry: JournalEntry): entry is JournalEntry & { readonly node: string } => entry.type === 'putBack'
