import type { OutageParts } from '../../ground/loop/api-outage.ts'
import { present } from '../../ground/model/present.ts'
import { type MonoMs, monoMs, type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { JournalEntry } from '../ports/journal.ts'
import type { EventLog } from './event-log.ts'

/** The journal's entry of an outage of the API server that begins or ends. The next process cannot do without it. */
const API_ENTRY = 'api'

/** What earlier processes of a run knew last of an outage. `isAway`: when it began, and they did not see its end. */
export interface ApiBefore {
  readonly isAway: boolean
  readonly at: WallMs
}

export function apiBefore(entries: readonly JournalEntry[]): ApiBefore | undefined {
  const last = entries.findLast(isApiEntry)
  return last === undefined ? undefined : { isAway: last.isAway, at: wallMs(Date.parse(last.at)) }
}

interface Parts {
  readonly clock: Clock
  readonly events: Pick<EventLog, 'note'>
}

/** This process goes on by what earlier ones knew, and leaves it to the next. An outage whose end they did not see lasted until now. */
export const outageAfter = (before: ApiBefore | undefined, { clock, events }: Parts): OutageParts => ({
  ...present({ isAway: before?.isAway, lastAt: awayBefore(before, clock) }),
  onTurn: (isAway) => events.note(API_ENTRY, { isAway }),
})

function awayBefore(before: ApiBefore | undefined, clock: Clock): MonoMs | undefined {
  if (before === undefined) return undefined
  const agoMs = before.isAway ? 0 : Math.max(0, clock.wallMs() - before.at)
  return monoMs(clock.monoMs() - agoMs)
}

type ApiEntry = JournalEntry & { readonly isAway: boolean }

const isApiEntry = (entry: JournalEntry): entry is ApiEntry => entry.type === API_ENTRY
