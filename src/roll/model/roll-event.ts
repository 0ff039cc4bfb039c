import type { FailureWindow } from '../../ground/model/probe.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { RunOrigin } from '../../ground/model/run-origin.ts'
import type { Sentence } from '../../ground/model/sentence.ts'
import type { ReloadSpan } from './reload-span.ts'
import type { NodeWhy } from './roll-plan.ts'
import type { Step } from './step.ts'
import type { StopUse } from './stop-use.ts'

export type RollOutcome = 'completed' | 'stopped' | 'aborted' | 'held' | 'interrupted'

/** What became of a node, as text and as fields. */
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

/** Totals of the whole run, over all its processes; rate and latency are those of the present process. */
export interface LoadTick {
  readonly sent: number
  /** Without failures that are excused, or may still be. */
  readonly failed: number
  /** Failed requests that a control target excuses: their cause is the prober. Absent: none. */
  readonly excused?: number
  /** Failed requests that a control may still excuse: they are counted neither as failed nor as excused yet. Absent: none. */
  readonly undecided?: number
  /** Requests that were sent a second time, since their kept connection was closed before an answer. Absent: none. */
  readonly retried?: number
  readonly skipped: number
  readonly ratePerSecond: number
  readonly p99Ms: number
  readonly baselineP99Ms: number
  readonly strays: number
  /** Time in which the prober measured nothing so far, also between two processes of a run. */
  readonly notMeasuredMs?: number
  /** The baseline is not over: these are its requests, and the totals begin at 0 once it is. */
  readonly inBaseline?: true
  /** How much of each limit of the roll file is used up. Absent: the file has no limits. */
  readonly stop?: readonly StopUse[]
}

/** The stream of a roll. Progress, `-o jsonl`, the evidence in the journal and the report are all made from it. */
export type RollEvent =
  | (RunOrigin & {
      readonly type: 'roll.started'
      readonly run: string
      /** The name of the roll file. */
      readonly cluster: string
      readonly nodes: readonly string[]
      readonly resumed: boolean
    })
  /** Machines were asked whether they need a reboot. These are the nodes of the roll, and the chosen nodes that are left out. */
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
  /** What the step waits for as a normal part of it, and no hold. For the screen: it is not in the journal. */
  | { readonly type: 'step.waits'; readonly node: string; readonly step: Step; readonly reasons: readonly Reason[] }
  | { readonly type: 'step.ended'; readonly node: string; readonly step: Step; readonly reasons: readonly Reason[] }
  /** A hold changes when its reasons do; `limitMs` is the time left of the step's limit. */
  | {
      readonly type: 'hold.started' | 'hold.changed'
      readonly node: string
      readonly step: Step
      readonly reasons: readonly Reason[]
      readonly limitMs?: number
    }
  | { readonly type: 'hold.ended'; readonly node: string; readonly step: Step }
  /** One write: eviction, patch, balancer command, reboot. Shown at -vv. */
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
      /**
       * The pod's workload, and how many pods it wants. Absent where no pod replaces this one, and in journals of earlier
       * versions.
       */
      readonly workload?: string
      readonly replicas?: number
      /** It was deleted, past its budget. Absent: it was evicted. */
      readonly deleted?: true
    }
  | {
      readonly type: 'window.opened' | 'window.closed'
      readonly window: FailureWindow
      readonly blame: readonly Blame[]
      /**
       * Reloads that the window fell into, which are a likelier cause than any step. Absent in journals of versions without
       * them.
       */
      readonly reloads?: readonly ReloadSpan[]
      /** A control target excuses the whole window: its cause is the prober, and it does not count. */
      readonly excused?: boolean
    }
  | { readonly type: 'stray'; readonly node: string; readonly server: string; readonly count: number }
  | {
      readonly type: 'reasserted'
      readonly node: string
      readonly server: string
      /** From the last reading that showed the server out until it was read as out again: it served for less than this. */
      readonly afterMs: number
      readonly text: string
    }
  | {
      /**
       * Load balancers that cannot be asked must have noticed: their checks had the answer often enough, or the longest time is
       * over.
       */
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
      /** Since the load balancers noticed. */
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
      readonly next: readonly Sentence[]
      /** All requests that were sent and that failed, where they were measured. */
      readonly load?: LoadTick
      /** Nodes that stay out; their state in the balancers is kept until the process is interrupted. */
      readonly guarded?: readonly string[]
      /** What the journal lacks, since the disk refused it, and what follows from it. */
      readonly unwritten?: string
    }

/** A step that was under way when a failure window began, the most likely first. Empty: none was. */
export interface Blame {
  readonly node: string
  readonly step: Step
  readonly rank: number
}

/** An event as the engine emits it: numbered without gaps, with its time. */
export type StampedEvent = RollEvent & { readonly v: '1.0'; readonly seq: number; readonly at: string }
