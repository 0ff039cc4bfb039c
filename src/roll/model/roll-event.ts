import type { FailureWindow } from '../../ground/model/probe.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { RunOrigin } from '../../ground/model/run-origin.ts'
import type { ReloadSpan } from './reload-span.ts'
import type { NodeWhy } from './roll-plan.ts'
import type { Step } from './step.ts'
import type { StopUse } from './stop-use.ts'

export type RollOutcome = 'completed' | 'stopped' | 'aborted' | 'held' | 'interrupted'

/** Where a node stands at the end, in words and as facts. */
export interface NodeResult {
  readonly node: string
  readonly state: 'notTouched' | 'inService' | 'out' | 'restored' | 'gone'
  readonly step?: Step
  readonly cordoned: boolean
  readonly detached: boolean
  readonly podsMoved: number
  readonly failedRequests: number
  readonly text: string
}

/** Totals of the whole run, by whichever of its processes; rate and latency of the one that runs now. */
export interface LoadTick {
  readonly sent: number
  /** Without those that are excused, or may still be. */
  readonly failed: number
  /** Failed requests that a control target excuses: the prober is to blame. Absent: none. */
  readonly excused?: number
  readonly skipped: number
  readonly ratePerSecond: number
  readonly p99Ms: number
  readonly baselineP99Ms: number
  readonly strays: number
  /** Time in which the prober measured nothing, so far; that between two processes of a run with it. */
  readonly notMeasuredMs?: number
  /** The baseline is not over: these are its own requests, and the totals begin at 0 once it is. */
  readonly inBaseline?: true
  /** What the roll file allows, and how much of it is used up. Absent: it allows nothing. */
  readonly stop?: readonly StopUse[]
}

/** The stream of a roll: progress, `-o jsonl`, the journal's evidence and the report are all made from it. */
export type RollEvent =
  | (RunOrigin & {
      readonly type: 'roll.started'
      readonly run: string
      /** The name of the roll file. */
      readonly cluster: string
      readonly nodes: readonly string[]
      readonly resumed: boolean
    })
  /** Machines were asked whether they need a reboot: nodes of the roll, and nodes that were chosen and are left out. */
  | { readonly type: 'nodes.chosen'; readonly needed: readonly NodeWhy[]; readonly skipped: readonly NodeWhy[] }
  | { readonly type: 'baseline.ended'; readonly sent: number; readonly p99Ms: number }
  | { readonly type: 'node.started'; readonly node: string; readonly index: number }
  | { readonly type: 'step.started'; readonly node: string; readonly step: Step; readonly reasons: readonly Reason[] }
  | {
      readonly type: 'step.changed'
      readonly node: string
      readonly step: Step
      readonly done: number
      readonly total: number
      readonly unit: string
      readonly stage?: readonly [number, number]
    }
  | { readonly type: 'step.ended'; readonly node: string; readonly step: Step; readonly reasons: readonly Reason[] }
  /** A hold changes when its reasons do; `limitMs` is what is left of the step's limit. */
  | {
      readonly type: 'hold.started' | 'hold.changed'
      readonly node: string
      readonly step: Step
      readonly reasons: readonly Reason[]
      readonly limitMs?: number
    }
  | { readonly type: 'hold.ended'; readonly node: string; readonly step: Step }
  /** One write to the world: eviction, patch, balancer command, reboot. Shown at -vv. */
  | {
      readonly type: 'write'
      readonly node: string
      readonly action: string
      readonly text: string
      readonly ok: boolean
    }
  | {
      readonly type: 'pod.moved'
      readonly node: string
      readonly pod: string
      readonly stage: number
      /** Of the pod, and how many pods it wants. Absent where nothing takes its place, and in journals of earlier versions. */
      readonly workload?: string
      readonly replicas?: number
      /** Past its budget. Absent: it was evicted. */
      readonly deleted?: true
    }
  | {
      readonly type: 'window.opened' | 'window.closed'
      readonly window: FailureWindow
      readonly blame: readonly Blame[]
      /** Reloads that it fell into, a likelier cause than any step. Absent in journals of versions that saw none. */
      readonly reloads?: readonly ReloadSpan[]
      /** A control target excuses all of it: the prober is to blame, and the window counts for nothing. */
      readonly excused?: boolean
    }
  | { readonly type: 'stray'; readonly node: string; readonly server: string; readonly count: number }
  | {
      readonly type: 'reasserted'
      readonly node: string
      readonly server: string
      /** From the last reading that showed the server out until it was read as out again: it served for less. */
      readonly afterMs: number
      readonly text: string
    }
  | {
      /** Load balancers that cannot be asked must have noticed: by what their checks were told, or since none takes longer. */
      readonly type: 'noticed'
      readonly node: string
      readonly step: Extract<Step, 'detach' | 'attach'>
      readonly server: string
      readonly by: 'checks' | 'time'
      readonly afterMs: number
      readonly text: string
    }
  | {
      /** The wait for connections that cannot be cut is over: none is left, or the idle limit is over. */
      readonly type: 'idle'
      readonly node: string
      readonly step: Extract<Step, 'detach'>
      readonly server: string
      readonly by: 'connections' | 'limit'
      readonly left: number | 'unknown'
      /** Since load balancers had noticed. */
      readonly afterMs: number
      readonly text: string
    }
  | { readonly type: 'warning'; readonly text: string; readonly node?: string }
  | { readonly type: 'load.tick'; readonly load: LoadTick }
  | { readonly type: 'node.ended'; readonly standing: NodeResult }
  | {
      readonly type: 'roll.ended'
      readonly outcome: RollOutcome
      readonly exitCode: number
      readonly reasons: readonly Reason[]
      readonly standings: readonly NodeResult[]
      readonly next: readonly string[]
      /** What was sent and what failed in all, where it was measured. */
      readonly load?: LoadTick
      /** Nodes that stay out and are re-asserted in their balancers until the process is interrupted. */
      readonly guarded?: readonly string[]
    }

/** A step that was under way when a failure window began, most likely first. Empty blame: none was. */
export interface Blame {
  readonly node: string
  readonly step: Step
  readonly rank: number
}

/** What leaves the engine: numbered without gaps, stamped. */
export type StampedEvent = RollEvent & { readonly v: '1.0'; readonly seq: number; readonly at: string }
