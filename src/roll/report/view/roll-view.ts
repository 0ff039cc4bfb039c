import type { FailureWindow } from '../../../ground/model/probe.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import type { RunOrigin } from '../../../ground/model/run-origin.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'
import type { Blame, LoadTick, NodeResult, StampedEvent } from '../../model/roll-event.ts'
import type { NodeWhy } from '../../model/roll-plan.ts'
import type { Step } from '../../model/step.ts'
import type { WorkloadMoves } from './pod-moves.ts'

export interface HoldView {
  /** Milliseconds since the epoch, like all times here. */
  readonly startedAt: number
  readonly endedAt?: number
  readonly reasons: readonly Reason[]
  /** As of the last time that its reasons changed; a limit stands still while the roll may not act. Absent: there is no limit. */
  readonly givesUpAt?: number
}

export interface StepView {
  readonly step: Step
  readonly startedAt: number
  readonly endedAt?: number
  readonly reasons: readonly Reason[]
  /** What it waits for while no hold is on, as it was reported last. */
  readonly waits?: readonly Reason[]
  readonly progress?: {
    readonly done: number
    readonly total: number
    readonly unit: string
    readonly stage?: readonly [number, number]
  }
  readonly holds: readonly HoldView[]
}

export type NodeLoad = Pick<LoadTick, 'sent' | 'failed'>

export interface NodeView {
  readonly name: string
  readonly state: 'waiting' | 'inWork' | 'ended'
  readonly startedAt?: number
  readonly endedAt?: number
  readonly steps: readonly StepView[]
  readonly podsMoved: number
  /** The requests of the run up to its start and up to its end, by the last tick before each. */
  readonly loadBefore?: NodeLoad
  readonly loadAfter?: NodeLoad
  readonly standing?: NodeResult
}

export interface WindowView {
  readonly window: FailureWindow
  readonly blame: readonly Blame[]
  /** Reloads of a balancer that it fell into; also empty where the journal is of a version without them. */
  readonly reloads: readonly ReloadSpan[]
  readonly closed: boolean
}

type WindowEvent = Extract<StampedEvent, { type: `window.${string}` }>

export const windowViewOf = ({ type, window, blame, reloads = [] }: WindowEvent): WindowView => ({
  window,
  blame,
  reloads,
  closed: type === 'window.closed',
})

type RollEnded = Extract<StampedEvent, { type: 'roll.ended' }>

/** A roll as its events show it: the source of every output, live, afterwards and as JSON. */
export interface RollView extends RunOrigin {
  readonly run: string
  /** The name of the roll file. */
  readonly cluster: string
  readonly resumed: boolean
  readonly startedAt?: number
  /** Stamp of the newest event. */
  readonly lastAt: number
  /** In the order of the roll. */
  readonly nodes: readonly NodeView[]
  /** Where machines were asked whether they need a reboot. */
  readonly needed?: readonly NodeWhy[]
  readonly skipped?: readonly NodeWhy[]
  /** By workload, in the order in which each was first moved. */
  readonly moves: readonly WorkloadMoves[]
  readonly load?: LoadTick
  readonly windows: readonly WindowView[]
  readonly strays: readonly { readonly node: string; readonly server: string; readonly count: number }[]
  readonly warnings: readonly { readonly text: string; readonly node?: string }[]
  readonly end?: RollEnded
}

export const emptyRollView: RollView = {
  run: '',
  cluster: '',
  resumed: false,
  lastAt: 0,
  nodes: [],
  moves: [],
  windows: [],
  strays: [],
  warnings: [],
}

/** The step under way, if the node is in work. */
export function currentStep(node: NodeView): StepView | undefined {
  const last = node.steps.at(-1)
  return last?.endedAt === undefined ? last : undefined
}

/** The hold under way. */
export function currentHold(step: StepView | undefined): HoldView | undefined {
  const last = step?.holds.at(-1)
  return last?.endedAt === undefined ? last : undefined
}
