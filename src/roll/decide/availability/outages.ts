import { present } from '../../../ground/model/present.ts'
import type { FailureClass, FailureWindow, Lane } from '../../../ground/model/probe.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import { excusedOf } from './not-counted.ts'

/** Failure windows of one target taken together, from all its lanes. */
export interface Outage extends Omit<FailureWindow, 'lane' | 'servedBefore' | 'servedAfter' | 'undecided'> {
  readonly lanes: readonly Lane[]
}

interface Growing<T> {
  readonly items: [T, ...T[]]
  until: number
}

/**
 * Windows of one target that may overlap are one outage: the lanes see the same fault a moment apart. The outages are in the
 * order in which they began.
 */
export function byOutage<T>(
  items: readonly T[],
  windowOf: (item: T) => FailureWindow,
): readonly (readonly [T, ...T[]])[] {
  const outages: Growing<T>[] = []
  const newest = new Map<string, Growing<T>>()
  for (const item of items.toSorted((a, b) => beginOf(windowOf(a)) - beginOf(windowOf(b)))) {
    const window = windowOf(item)
    const until = window.firstOkAt ?? Number.POSITIVE_INFINITY
    const last = newest.get(window.target)
    if (last !== undefined && beginOf(window) < last.until) {
      last.items.push(item)
      last.until = Math.max(last.until, until)
      continue
    }
    const outage: Growing<T> = { items: [item], until }
    newest.set(window.target, outage)
    outages.push(outage)
  }
  return outages.map((outage) => outage.items)
}

const beginOf = ({ lastOkAt, firstBadAt }: FailureWindow): number => lastOkAt ?? firstBadAt

/** The bounds of all windows together: from the first that began to the last that ended. */
export const asOutage = (first: FailureWindow, ...others: readonly FailureWindow[]): Outage =>
  others.map(ofOneLane).reduce(joined, ofOneLane(first))

const LANES: readonly Lane[] = ['new', 'kept']

function ofOneLane(of: FailureWindow): Outage {
  const { lane, servedBefore: _before, servedAfter: _after, undecided: _undecided, ...window } = of
  return { ...window, lanes: [lane] }
}

function joined(a: Outage, b: Outage): Outage {
  const { lastOkAt: _ok, firstOkAt: _end, excused: _some, ...earlier } = a.firstBadAt <= b.firstBadAt ? a : b
  const excused = excusedOf([a, b])
  // An edge is unknown if one of the windows did not see it.
  const lastOkAt = a.lastOkAt === undefined || b.lastOkAt === undefined ? undefined : least(a.lastOkAt, b.lastOkAt)
  const firstOkAt = a.firstOkAt === undefined || b.firstOkAt === undefined ? undefined : most(a.firstOkAt, b.firstOkAt)
  return {
    ...earlier,
    lanes: LANES.filter((lane) => a.lanes.includes(lane) || b.lanes.includes(lane)),
    sent: a.sent + b.sent,
    failed: a.failed + b.failed,
    ...(excused === 0 ? {} : { excused }),
    failures: summed(a.failures, b.failures),
    ...present({ lastOkAt }),
    lastBadAt: most(a.lastBadAt, b.lastBadAt),
    ...(a.isMerged === true || b.isMerged === true ? { isMerged: true } : {}),
    ...present({ firstOkAt }),
  }
}

const least = (a: WallMs, b: WallMs): WallMs => (a < b ? a : b)
const most = (a: WallMs, b: WallMs): WallMs => (a > b ? a : b)

function summed(a: Outage['failures'], b: Outage['failures']): Outage['failures'] {
  const classes = new Set([...Object.keys(a), ...Object.keys(b)]) as ReadonlySet<FailureClass>
  return Object.fromEntries([...classes].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]))
}
