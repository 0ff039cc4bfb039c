import { present } from '../../ground/model/present.ts'
import type { FailureWindow } from '../../ground/model/probe.ts'
import { type WallMs, wallMs } from '../../ground/model/time.ts'
import { isSameWindow } from '../decide/availability/same-window.ts'
import type { LoadTick, RollEvent, StampedEvent } from '../model/roll-event.ts'
import type { JournalEntry } from '../ports/journal.ts'
import { isJournaledEvent } from './journaled-event.ts'

/** What earlier processes of a run measured: the next process continues their totals. */
export interface LoadBefore {
  readonly sent: number
  /** Without excused failures. */
  readonly failed: number
  /** Absent: none. */
  readonly excused?: number
  /** Absent: none. */
  readonly retried?: number
  readonly skipped: number
  readonly strays: number
  readonly notMeasuredMs: number
  /** From this moment to the next process's first sample nothing was measured. */
  readonly until: WallMs
  /** Failed requests by the node that is blamed first. */
  readonly failedOf: Readonly<Record<string, number>>
  /** Failed requests of processes that were killed before they could end because of them. */
  readonly unreported: number
}

interface SeenWindow {
  readonly failed: number
  readonly excused: number
  readonly window: FailureWindow
  readonly node: string | undefined
  /** An end has reported it already. */
  readonly isReported: boolean
}

type Counts = Required<
  Pick<LoadBefore, 'sent' | 'failed' | 'excused' | 'retried' | 'skipped' | 'notMeasuredMs' | 'until'>
>

/** Undefined where nothing was begun yet: requests before the end of the first baseline do not count. */
export function loadBefore(entries: readonly JournalEntry[]): LoadBefore | undefined {
  const events = entries.filter(isJournaledEvent)
  const counts = events.reduce<Counts | undefined>(counted, undefined)
  if (counts === undefined) return undefined
  const strays = events.reduce((total, event) => total + (event.type === 'stray' ? event.count : 0), 0)
  return { ...withWindows(counts, events.reduce<readonly SeenWindow[]>(withWindow, [])), strays }
}

/**
 * The last tick is up to some seconds older than a kill; failures are in the journal at once, and each is a request that was
 * sent.
 */
function withWindows(counts: Counts, windows: readonly SeenWindow[]): Omit<LoadBefore, 'strays'> {
  const failed = Math.max(counts.failed, sum(windows))
  const seenExcused = windows.reduce((total, seen) => total + seen.excused, 0)
  const { excused: countedExcused, retried, ...others } = counts
  const excused = Math.max(countedExcused, seenExcused)
  const nodes = [...new Set(windows.flatMap(({ node }) => node ?? []))]
  return {
    ...others,
    failed,
    ...(excused === 0 ? {} : { excused }),
    ...(retried === 0 ? {} : { retried }),
    sent: counts.sent + failed - counts.failed + excused - countedExcused,
    failedOf: Object.fromEntries(nodes.map((name) => [name, sum(windows.filter(({ node }) => node === name))])),
    unreported: sum(windows.filter(({ isReported }) => !isReported)),
  }
}

const sum = (windows: readonly SeenWindow[]): number => windows.reduce((total, { failed }) => total + failed, 0)

function counted(counts: Counts | undefined, event: RollEvent & Pick<StampedEvent, 'at'>): Counts | undefined {
  const until = wallMs(Date.parse(event.at))
  switch (event.type) {
    // Whichever comes first: a roll without measurements has no baseline, and begins with a write.
    case 'baseline.ended':
    case 'write':
      return counts ?? { sent: 0, failed: 0, excused: 0, retried: 0, skipped: 0, notMeasuredMs: 0, until }
    case 'load.tick':
    case 'roll.ended':
      return counts === undefined || event.load === undefined ? counts : { ...countsOf(event.load), until }
    default:
      return counts
  }
}

const countsOf = ({ sent, failed, excused = 0, retried = 0, skipped, notMeasuredMs = 0 }: LoadTick) => ({
  sent,
  failed,
  excused,
  retried,
  skipped,
  notMeasuredMs,
})

/** A window replaces its earlier version. */
function withWindow(windows: readonly SeenWindow[], event: RollEvent): readonly SeenWindow[] {
  if (event.type === 'roll.ended' && event.outcome === 'stopped') {
    return windows.map((seen) => ({ ...seen, isReported: true }))
  }
  if (event.type !== 'window.opened' && event.type !== 'window.closed') return windows
  const { window, blame } = event
  // Journals of versions that excused a window as a whole do not have the number.
  const excused = event.excused === true ? window.failed : (window.excused ?? 0)
  const same = windows.filter((seen) => isSameWindow(window, seen.window))
  const isReported = same.some((seen) => seen.isReported)
  return [
    ...windows.filter((seen) => !same.includes(seen)),
    { window, failed: window.failed - excused, excused, node: blame[0]?.node, isReported },
  ]
}

/** The totals of a run whose newest process measures nothing; undefined where none did. */
export function unmeasuredSince(before: LoadBefore | undefined, now: WallMs): LoadTick | undefined {
  if (before === undefined || before.sent === 0) return undefined
  const { sent, failed, excused, retried, skipped, strays } = before
  const notMeasuredMs = before.notMeasuredMs + Math.max(0, now - before.until)
  return {
    sent,
    failed,
    ...present({ excused, retried }),
    skipped,
    strays,
    notMeasuredMs,
    ratePerSecond: 0,
    p99Ms: 0,
    baselineP99Ms: 0,
  }
}
