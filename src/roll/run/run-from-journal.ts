import { present } from '../../ground/model/present.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { isMachineEntry } from '../decide/pair/machine-memory.ts'
import { hostNames } from '../model/host-pair.ts'
import type { NodeResult } from '../model/roll-event.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { Verdict } from '../model/verdict.ts'
import type { JournalEntry, StoredJournal } from '../ports/journal.ts'
import { apiBefore } from './api-before.ts'
import { hooksBefore } from './hooks/hooks-before.ts'
import { isJournaledEvent } from './journaled-event.ts'
import { loadBefore } from './load-before.ts'
import { isMeant, type NodeBefore, nodesBefore, type RecordBefore, recordBefore } from './nodes-before.ts'
import { nodeTimes } from './past-nodes.ts'
import type { RememberedPlace } from './remembered-place.ts'
import { hostsOf, type RunState, rememberOfMachine } from './run-state.ts'
import { silencesBefore } from './silences/silence-keeper.ts'
import { windowsBefore } from './windows-before.ts'

/** What a journal begins with, besides its header: what was asked for, in full. */
interface PlannedEntry extends JournalEntry {
  readonly type: 'planned'
  readonly spec: RollSpec
  readonly order: readonly string[]
  /** Machines of the load balancers that are rolled. Absent: all of the file. */
  readonly hostOrder?: readonly string[]
  readonly clusterName: string
  /** Absent in journals of earlier versions. */
  readonly place?: RememberedPlace
  /** Absent where no time window asks. */
  readonly estimates?: Readonly<Record<string, number>>
  /** Absent in journals of earlier versions, and where none was seen. */
  readonly members?: RunState['members']
  /** `--reason`. */
  readonly reason?: string
  /** `--once`. */
  readonly onceKey?: string
  /** As in the run's state: a journal that was made to put back what a run left whose own journal is lost. */
  readonly restoresAs?: string
}

interface Planned {
  readonly at: string
  readonly clusterName: string
  readonly place?: RememberedPlace
}

/** The first entry of a run's journal. */
export const plannedEntry = (
  { spec, order, hosts, restoresAs, origin, onceKey, estimates, members }: RunState,
  { at, clusterName, place }: Planned,
): PlannedEntry => ({
  at,
  type: 'planned',
  spec,
  order,
  ...(hosts === undefined || hosts.order.length === hostNames(spec.hosts).length ? {} : { hostOrder: hosts.order }),
  clusterName,
  ...present({ place, estimates, members }),
  ...(origin?.reason === undefined ? {} : { reason: origin.reason }),
  ...present({ onceKey, restoresAs }),
})

/** Another file took the place of the one before; the last of these counts. */
interface AmendedEntry extends JournalEntry {
  readonly type: 'amended'
  readonly spec: RollSpec
  readonly order: readonly string[]
}

export interface ResumedRun {
  readonly run: RunState
  readonly clusterName: string
  /** Events go on where the last process left off, so that their numbers have no gap. */
  readonly firstSeq: number
  /** The last process came to an end by itself and left nothing to do. */
  readonly ended: boolean
}

/**
 * A run as its journal tells it: only what the world cannot (what was asked for, which nodes are through, what was
 * evicted already). Everything else is read from the world.
 */
export function runFromJournal(journal: StoredJournal): ResumedRun {
  const planned = journal.entries.find(isPlanned)
  if (planned === undefined) {
    throw new UserError(`the journal of run ${journal.header.run} ends before its plan: nothing was begun`, {
      code: 'journal.no-plan',
      fix: 'begin a new roll',
    })
  }
  const through = nodesThrough(journal.entries)
  const { spec, order } = goesBy(journal.entries) ?? planned
  const done = order.filter((node) => through.includes(node))
  const underWay = begunLast(journal.entries)
  const before = loadBefore(journal.entries)
  const begun = [...nodesBefore(journal.entries)].filter(([node]) => !done.includes(node))
  const inWorkBefore = begun.flatMap(([node, { record }]) => (record === undefined ? [] : [node]))
  const slowestMs = spec.window === undefined ? 0 : Math.max(0, ...nodeTimes(journal.entries))
  const run: RunState = {
    id: journal.header.run,
    spec,
    order,
    resumed: true,
    ...(planned.reason === undefined ? {} : { origin: { reason: planned.reason } }),
    ...(underWay === undefined || through.includes(underWay) ? {} : { underWay }),
    ...(inWorkBefore.length === 0 ? {} : { inWorkBefore }),
    done,
    settledHere: [],
    verdict: undefined,
    measuredSince: undefined,
    effectsBefore: Object.fromEntries(begun.map(([node, { evicted, setOut }]) => [node, { evicted, setOut }])),
    recordsBefore: recordsBefore(begun),
    hooksBefore: hooksBefore(journal.entries),
    silencesBefore: silencesBefore(journal.entries),
    resultsBefore: resultsBefore(journal.entries),
    ...hostsOf(spec, planned.hostOrder),
    ...present({ estimates: planned.estimates, members: planned.members }),
    ...(slowestMs === 0 ? {} : { slowestMs }),
    ...present({ before, apiBefore: apiBefore(journal.entries) }),
    ...(spec.stop === undefined ? {} : { windowsBefore: windowsBefore(journal.entries) }),
    ...present({ restoresAs: planned.restoresAs }),
  }
  for (const entry of journal.entries.filter(isMachineEntry)) rememberOfMachine(run, entry)
  const hosts = hostsThrough(run)
  const seqs = journal.entries.flatMap(({ seq }) => (typeof seq === 'number' ? [seq] : []))
  return {
    run: { ...run, ...hosts },
    clusterName: planned.clusterName,
    firstSeq: Math.max(-1, ...seqs) + 1,
    ended: done.length === order.length && hosts.hosts?.done.length === hosts.hosts?.order.length,
  }
}

/** Machines that earlier processes of the run are through with. */
function hostsThrough({ hosts }: RunState): Pick<RunState, 'hosts'> {
  if (hosts === undefined) return {}
  return { hosts: { ...hosts, done: hosts.order.filter((host) => hosts.memory[host]?.isThrough === true) } }
}

/** What the run goes by now; undefined where its journal ends before its plan. */
export const goesBy = (entries: readonly JournalEntry[]): PlannedEntry | AmendedEntry | undefined =>
  entries.findLast(isAmended) ?? entries.find(isPlanned)

/**
 * A node that something was meant for afterwards is under way again: its record could not be taken off at once, and
 * requests failed meanwhile.
 */
function nodesThrough(entries: readonly JournalEntry[]): readonly string[] {
  const through = new Set<string>()
  for (const entry of entries) {
    if (isThrough(entry)) through.add(entry.node)
    if (isMeant(entry)) for (const { node } of entry.actions) through.delete(node)
  }
  return [...through]
}

/** A node bears a record only after an entry that says what was meant for it. */
const begunLast = (entries: readonly JournalEntry[]): string | undefined =>
  entries.findLast(isMeant)?.actions.at(-1)?.node

type VerdictEntry = JournalEntry & {
  readonly verdict: Verdict
  readonly keepsOut?: readonly string[]
  /** The process that begins with the next entry goes by it. */
  readonly isKept?: true
}

/** What the last process of a run came to or kept, and may not have finished; nothing where a process began after it without it. */
export function verdictBefore(entries: readonly JournalEntry[]): Pick<RunState, 'verdict' | 'keepsOut'> | undefined {
  const began = entries.findLastIndex(({ type }) => type === 'roll.started')
  const kept = entries[began - 1]
  const from = kept !== undefined && isVerdict(kept) && kept.isKept === true ? began - 1 : began + 1
  const found = entries.slice(from).findLast(isVerdict)
  if (found === undefined) return undefined
  const { verdict, keepsOut } = found
  return { verdict, ...present({ keepsOut }) }
}

/** Records that nodes had whose Node object may be another one since. */
function recordsBefore(begun: readonly (readonly [string, NodeBefore])[]): Readonly<Record<string, RecordBefore>> {
  const records = begun.map(([node, before]) => [node, recordBefore(before)] as const)
  return Object.fromEntries(records.flatMap(([node, record]) => (record === undefined ? [] : [[node, record]])))
}

function resultsBefore(entries: readonly JournalEntry[]): Readonly<Record<string, NodeResult>> {
  const ended = entries.filter(isJournaledEvent).filter((event) => event.type === 'node.ended')
  return Object.fromEntries(ended.map(({ standing }) => [standing.node, standing]))
}

type Through = JournalEntry & { readonly node: string }
const isVerdict = (entry: JournalEntry): entry is VerdictEntry => entry.type === 'verdict'
const isPlanned = (entry: JournalEntry): entry is PlannedEntry => entry.type === 'planned'
const isAmended = (entry: JournalEntry): entry is AmendedEntry => entry.type === 'amended'
/** Written before the record is taken off a node that came back with proof. */
const isThrough = (entry: JournalEntry): entry is Through => entry.type === 'through'
