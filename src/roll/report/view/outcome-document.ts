import { present } from '../../../ground/model/present.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { originOf, type RunOrigin } from '../../../ground/model/run-origin.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'
import type { Blame, RollOutcome } from '../../model/roll-event.ts'
import type { NodeWhy } from '../../model/roll-plan.ts'
import type { Step } from '../../model/step.ts'
import type { StopUse } from '../../model/stop-use.ts'
import { movesOf, podsMoved, type WorkloadMoves } from './pod-moves.ts'
import type { RollView, StepView, WindowView } from './roll-view.ts'
import { failedInReloads, windowBounds } from './window-text.ts'

/** A reload that a window fell into; null where the servers that it forgot were not seen as out again. */
interface ReloadDocument extends Omit<ReloadSpan, 'from' | 'seenAt' | 'to'> {
  readonly from: string
  readonly seenAt: string
  readonly to: string | null
}

/** A failure window as JSON: stamps in ISO 8601 UTC, null where an edge was not seen. */
export interface WindowDocument {
  readonly target: string
  readonly lane: string
  readonly failed: number
  /** The failed requests that a control target excuses. */
  readonly excusedRequests: number
  readonly sent: number
  readonly failures: Readonly<Record<string, number>>
  readonly firstError: string
  readonly lastOkAt: string | null
  readonly firstBadAt: string
  readonly lastBadAt: string
  readonly firstOkAt: string | null
  readonly lowMs: number
  readonly highMs: number | null
  readonly reloads: readonly ReloadDocument[]
  readonly blame: readonly Blame[]
}

/** What `-o json` prints, once, at the end. Readers ignore fields that they do not know. */
export interface RollOutcomeDocument extends RunOrigin {
  /** Empty where no run was begun. */
  readonly run: string
  /** The name of the roll file. */
  readonly cluster: string
  /** `running`: only in the output of `roll status` and `roll report`, for a roll that a process works on. */
  readonly outcome: RollOutcome | 'running'
  /** Without the excused requests. */
  readonly failedRequests: number
  /** Requests that failed while a control target did not answer either: the cause is the prober, and they do not count. */
  readonly excusedRequests: number
  /** Requests that were sent a second time, since their kept connection was closed before an answer; the repeat counts. */
  readonly retriedRequests: number
  /** Of all windows below: those that fell into a reload of a balancer. */
  readonly failedInReloads: number
  readonly sentRequests: number
  readonly notMeasuredMs: number
  /** How much of each limit of the roll file is used up. Absent: the file has no limits. */
  readonly stop?: readonly StopUse[]
  readonly podsMoved: number
  /** By workload; those that were moved most often per pod come first. */
  readonly moves: readonly WorkloadMoves[]
  readonly windows: readonly WindowDocument[]
  /** Why each node of the roll needs its reboot, and which nodes were left out; where machines were asked. */
  readonly needed?: readonly NodeWhy[]
  readonly skipped?: readonly NodeWhy[]
  readonly nodes: readonly {
    readonly name: string
    readonly steps: readonly {
      readonly step: Step
      readonly startedAt: string
      readonly endedAt: string | null
      readonly reasons: readonly Reason[]
    }[]
  }[]
}

/** `isRunning`: a process works on the roll. A roll without an end whose process is gone was interrupted, whatever ended it. */
export function outcomeDocument(view: RollView, isRunning = true): RollOutcomeDocument {
  return {
    run: view.run,
    cluster: view.cluster,
    ...originOf(view),
    outcome: view.end?.outcome ?? (isRunning ? 'running' : 'interrupted'),
    failedRequests: view.load?.failed ?? 0,
    excusedRequests: view.load?.excused ?? 0,
    retriedRequests: view.load?.retried ?? 0,
    failedInReloads: failedInReloads(view.windows),
    sentRequests: view.load?.sent ?? 0,
    notMeasuredMs: Math.round(view.load?.notMeasuredMs ?? 0),
    ...(view.load?.stop === undefined ? {} : { stop: view.load.stop }),
    podsMoved: podsMoved(view),
    moves: movesOf(view),
    windows: view.windows.map(windowDocument),
    ...present({ needed: view.needed, skipped: view.skipped }),
    nodes: view.nodes.map(({ name, steps }) => ({ name, steps: steps.map(stepDocument) })),
  }
}

export function windowDocument(view: Pick<WindowView, 'window' | 'blame' | 'reloads'>): WindowDocument {
  const { window, blame, reloads } = view
  const { lowMs, highMs } = windowBounds(view)
  return {
    target: window.target,
    lane: window.lane,
    failed: window.failed,
    excusedRequests: window.excused ?? 0,
    sent: window.sent,
    failures: window.failures,
    firstError: window.firstError,
    lastOkAt: stamp(window.lastOkAt),
    firstBadAt: iso(window.firstBadAt),
    lastBadAt: iso(window.lastBadAt),
    firstOkAt: stamp(window.firstOkAt),
    lowMs,
    highMs: highMs ?? null,
    reloads: reloads.map(reloadDocument),
    blame,
  }
}

const reloadDocument = (span: ReloadSpan): ReloadDocument => ({
  ...span,
  from: iso(span.from),
  seenAt: iso(span.seenAt),
  to: stamp(span.to),
})

function stepDocument({ step, startedAt, endedAt, reasons, holds }: StepView) {
  const all = [...reasons, ...holds.flatMap((hold) => hold.reasons)]
  return { step, startedAt: iso(startedAt), endedAt: stamp(endedAt), reasons: all }
}

const iso = (at: number): string => new Date(at).toISOString()
const stamp = (at: number | undefined): string | null => (at === undefined ? null : iso(at))
