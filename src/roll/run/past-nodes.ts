import type { Reason } from '../../ground/model/reason.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { MACHINE_MEANT } from '../decide/pair/machine-memory.ts'
import type { PastNodes } from '../decide/plan/estimate.ts'
import type { JournalEntry, JournalStore } from '../ports/journal.ts'
import { isJournaledEvent } from './journaled-event.ts'

/** Journals grow with the length of a run, and the newest are the best estimate. */
const READ_AT_MOST = 3

/** How long nodes of the newest runs of this cluster took, where they came back in service. */
export async function pastNodes(store: JournalStore, cluster: string): Promise<PastNodes | undefined> {
  const stored = await store.runs()
  const runs = stored.filter(({ header }) => header?.cluster === cluster).slice(0, READ_AT_MOST)
  const measured = await Promise.all(
    runs.map(async ({ run }) => ({ run, nodeMs: nodeTimes(await entriesOf(store, run)) })),
  )
  const [newest] = measured.filter(({ nodeMs }) => nodeMs.length > 0)
  return newest === undefined ? undefined : { run: newest.run, nodeMs: measured.flatMap(({ nodeMs }) => nodeMs) }
}

/** A journal that cannot be read gives no times; the roll itself will report its fault. */
async function entriesOf(store: JournalStore, run: string): Promise<readonly JournalEntry[]> {
  try {
    return (await store.read(run)).entries
  } catch (error) {
    if (error instanceof UserError) return []
    throw error
  }
}

/** How long each node took that came back, without the wait for a time window. */
export function nodeTimes(entries: readonly JournalEntry[]): readonly number[] {
  const started = new Map<string, number>()
  const waiting = new Set<string>()
  const hosts = machinesBegun(entries)
  return entries.filter(isJournaledEvent).flatMap((event) => {
    if ('node' in event && hosts.has(event.node)) return []
    const at = Date.parse(event.at)
    if (event.type === 'node.started') started.set(event.node, at)
    if (event.type === 'hold.started' || event.type === 'hold.changed' || event.type === 'hold.ended') {
      if (waiting.delete(event.node)) started.set(event.node, at)
      if (event.type !== 'hold.ended' && event.reasons.some(isOfWindow)) waiting.add(event.node)
    }
    if (event.type !== 'node.ended' || event.standing.state !== 'inService') return []
    const from = started.get(event.standing.node)
    return from === undefined ? [] : [at - from]
  })
}

/** A machine of a load balancer takes another time than a node. */
const machinesBegun = (entries: readonly JournalEntry[]): ReadonlySet<unknown> =>
  new Set(entries.filter(({ type }) => type === MACHINE_MEANT).map(({ host }) => host))

const isOfWindow = ({ code }: Reason): boolean => code === 'WindowClosed' || code === 'WindowClosesSoon'
