import { type Bounds, downtime, lengthMs, union } from '../../core/availability/downtime.ts'
import { notCounted } from '../../core/availability/not-counted.ts'
import type { FailureWindow, LaneSummary, ProbeFacts, ProbeTarget } from '../../model/probe.ts'
import type { WallMs } from '../../model/time.ts'

/** What the facts come to. Controls are counted apart, and a window that is the prober's own fault is listed only. */
export interface ProbeReading {
  readonly facts: ProbeFacts
  readonly targets: readonly ProbeTarget[]
  readonly lanes: readonly LaneSummary[]
  readonly control: { readonly sent: number; readonly failed: number } | undefined
  readonly sent: number
  /** Held against the targets. */
  readonly failed: number
  readonly notCounted: ReadonlySet<FailureWindow>
  readonly notCountedFailed: number
  readonly skipped: number
  readonly notMeasuredMs: number
  readonly downtime: Bounds
  readonly measuredMs: number
}

export function readProbe(facts: ProbeFacts, targets: readonly ProbeTarget[], now: WallMs): ProbeReading {
  const lanes = facts.lanes.filter((lane) => !lane.control)
  const controls = facts.lanes.filter((lane) => lane.control)
  const excused = notCounted(facts, targets)
  const held = facts.windows.filter((window) => !window.control && !excused.has(window))
  const notCountedFailed = sumOf([...excused], 'failed')
  return {
    facts,
    targets,
    lanes,
    control: controls.length === 0 ? undefined : { sent: sumOf(controls, 'sent'), failed: sumOf(controls, 'failed') },
    sent: sumOf(lanes, 'sent'),
    failed: sumOf(lanes, 'failed') - notCountedFailed,
    notCounted: excused,
    notCountedFailed,
    skipped: sumOf(lanes, 'skipped'),
    notMeasuredMs: lengthMs(union(facts.notMeasured)),
    downtime: downtime(held, { from: facts.startedAt, to: now, notMeasured: facts.notMeasured }),
    measuredMs: Math.max(0, now - facts.startedAt),
  }
}

const sumOf = <K extends string>(rows: readonly Readonly<Record<K, number>>[], key: K): number =>
  rows.reduce((sum, row) => sum + row[key], 0)
