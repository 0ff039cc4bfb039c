import type { LoadTick, RollEvent } from '../../src/roll/model/roll-event.ts'
import type { JournalEntry, StoredJournal } from '../../src/roll/ports/journal.ts'
import { aSpec } from './roll-world.ts'

/** Milliseconds since the epoch of a time of day on the day that journals of tests are written. */
export const at = (time: string): number => Date.parse(`2026-11-21T${time}Z`)

/** Events as the journal holds them, each with its time of day. */
export const journaled = (...events: readonly (readonly [time: string, event: RollEvent])[]): readonly JournalEntry[] =>
  events.map(([time, event], seq) => ({ ...event, v: '1.0', seq, at: new Date(at(time)).toISOString() }))

/** The journal of run-1, with three nodes planned. */
export const aJournal = (entries: readonly JournalEntry[], notes: readonly JournalEntry[] = []): StoredJournal => ({
  header: { at: '2026-11-21T06:00:00.000Z', type: 'journal', v: 1, run: 'run-1', cluster: 'uid-1', tool: '0.1.0' },
  entries: [
    {
      at: '2026-11-21T06:00:00.000Z',
      type: 'planned',
      spec: aSpec(),
      order: ['n1', 'n2', 'n3'],
      clusterName: 'prod-eu1',
    },
    ...entries,
    ...notes,
  ],
})

export const aLoad = (sent: number, change: Partial<LoadTick> = {}): LoadTick => ({
  sent,
  failed: 0,
  skipped: 0,
  ratePerSecond: 100,
  p99Ms: 12,
  baselineP99Ms: 11,
  strays: 0,
  ...change,
})

export const aTick = (sent: number, change: Partial<LoadTick> = {}): RollEvent => ({
  type: 'load.tick',
  load: aLoad(sent, change),
})
