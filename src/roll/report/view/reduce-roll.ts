import { present } from '../../../ground/model/present.ts'
import type { Reason, ReasonCode } from '../../../ground/model/reason.ts'
import { originOf } from '../../../ground/model/run-origin.ts'
import { isSameWindow } from '../../decide/availability/same-window.ts'
import type { LoadTick, StampedEvent } from '../../model/roll-event.ts'
import type { Step } from '../../model/step.ts'
import { withMove } from './pod-moves.ts'
import {
  emptyRollView,
  type HoldView,
  type NodeLoad,
  type NodeView,
  type RollView,
  type StepView,
  type WindowView,
  windowViewOf,
} from './roll-view.ts'

/** The view after one more event. Pure; an event that does not fit the earlier ones changes only what it names. */
export function reduceRoll(view: RollView, event: StampedEvent): RollView {
  const at = Date.parse(event.at)
  const next = { ...view, lastAt: at }
  switch (event.type) {
    case 'roll.started':
      return started(view, event, at)
    case 'nodes.chosen':
      return { ...next, needed: event.needed, skipped: event.skipped }
    case 'baseline.ended':
    case 'write':
    case 'reasserted':
      return next
    case 'load.tick':
      // While a node is kept out, the probe goes on: the end has said its numbers.
      return view.end === undefined ? { ...next, load: event.load } : next
    case 'window.opened':
    case 'window.closed':
      return { ...next, windows: withWindow(view.windows, event) }
    case 'stray':
      return { ...next, strays: [...view.strays, { node: event.node, server: event.server, count: event.count }] }
    case 'warning':
      return { ...next, warnings: [...view.warnings, { text: event.text, ...present({ node: event.node }) }] }
    case 'roll.ended':
      return { ...next, end: event, ...present({ load: event.load }) }
    case 'node.ended':
      return withNode(next, event.standing.node, (node) => ({ ...node, ...endOf(view, event, at) }))
    case 'node.started':
      return withNode(next, event.node, (node) => ({ ...node, ...startOf(view, node, at) }))
    case 'pod.moved':
      return withNode({ ...next, moves: withMove(view.moves, event) }, event.node, (node) =>
        reduceNode(node, event, at),
      )
    default:
      return withNode(next, event.node, (node) => reduceNode(node, event, at))
  }
}

/** A whole stream at once: a journal, or a test. */
export const rollViewOf = (events: readonly StampedEvent[]): RollView => events.reduce(reduceRoll, emptyRollView)

type Started = Extract<StampedEvent, { type: 'roll.started' }>
type NodeEvent = Extract<StampedEvent, { type: `step.${string}` | `hold.${string}` | 'pod.moved' | 'noticed' | 'idle' }>
type WaitEvent = Extract<StampedEvent, { type: 'noticed' | 'idle' }>
type WindowEvent = Extract<StampedEvent, { type: `window.${string}` }>

/**
 * A resumed run goes on where the journal ended: what is known of its nodes stays, and steps that were under way are closed
 * when the earlier process ended. The new process continues the totals.
 */
function started(view: RollView, event: Started, at: number): RollView {
  const goneAt = view.lastAt === 0 ? at : view.lastAt
  const known = new Map(view.nodes.map((node) => [node.name, leftOff(node, goneAt)]))
  const nodes = event.nodes.map((name) => known.get(name) ?? waiting(name))
  const { end: _end, ...before } = view
  const startedAt = event.resumed ? (view.startedAt ?? at) : at
  return {
    ...before,
    ...originOf(event),
    run: event.run,
    cluster: event.cluster,
    resumed: event.resumed,
    startedAt,
    lastAt: at,
    nodes,
  }
}

function leftOff(node: NodeView, at: number): NodeView {
  if (node.state === 'ended') return node
  const steps = node.steps.map((step) =>
    step.endedAt === undefined ? { ...step, endedAt: at, holds: endedHolds(step.holds, at) } : step,
  )
  return { ...node, steps }
}

const waiting = (name: string): NodeView => ({ name, state: 'waiting', steps: [], podsMoved: 0 })

function withNode(view: RollView, name: string, change: (node: NodeView) => NodeView): RollView {
  const known = view.nodes.some((node) => node.name === name)
  const nodes = known ? view.nodes : [...view.nodes, waiting(name)]
  return { ...view, nodes: nodes.map((node) => (node.name === name ? change(node) : node)) }
}

function startOf({ load }: RollView, node: NodeView, at: number) {
  const known = load === undefined || node.loadBefore !== undefined ? {} : { loadBefore: countedOf(load) }
  return { state: 'inWork', startedAt: node.startedAt ?? at, ...known } as const
}

/** The requests of a baseline belong to no node: the totals begin anew after it. */
const countedOf = ({ sent, failed, inBaseline }: LoadTick): NodeLoad =>
  inBaseline === true ? { sent: 0, failed: 0 } : { sent, failed }

function endOf({ load }: RollView, { standing }: Extract<StampedEvent, { type: 'node.ended' }>, at: number) {
  const known = load === undefined || load.inBaseline === true ? {} : { loadAfter: countedOf(load) }
  return { state: 'ended', endedAt: at, standing, ...known } as const
}

function reduceNode(node: NodeView, event: NodeEvent, at: number): NodeView {
  const inWork: NodeView = { ...node, state: 'inWork', startedAt: node.startedAt ?? at }
  switch (event.type) {
    case 'step.started':
      return {
        ...inWork,
        steps: [...node.steps, { step: event.step, startedAt: at, reasons: event.reasons, holds: [] }],
      }
    case 'step.changed': {
      const { done, total, unit, stage } = event
      const progress = { done, total, unit, ...present({ stage }) }
      return withStep(inWork, event.step, (step) => ({ ...step, progress }))
    }
    case 'step.waits':
      return withStep(inWork, event.step, (step) => ({ ...step, waits: event.reasons }))
    case 'step.ended':
      return withStep(inWork, event.step, (step) => ({
        ...step,
        endedAt: at,
        reasons: [...step.reasons, ...event.reasons],
        holds: endedHolds(step.holds, at),
      }))
    case 'hold.started':
    case 'hold.changed': {
      const limit = event.limitMs === undefined ? {} : { givesUpAt: at + event.limitMs }
      return withStep(inWork, event.step, (step) => withHold(step, { startedAt: at, reasons: event.reasons, ...limit }))
    }
    case 'hold.ended':
      return withStep(inWork, event.step, (step) => ({ ...step, holds: endedHolds(step.holds, at) }))
    case 'noticed':
      return withSaid(inWork, event, event.by === 'checks' ? 'NoticedByChecks' : 'NoticedByTime')
    case 'idle':
      return withSaid(inWork, event, event.by === 'connections' ? 'ConnectionsEnded' : 'IdleLimitOver')
    case 'pod.moved':
      return { ...inWork, podsMoved: node.podsMoved + 1 }
  }
}

/** The end of a wait within a step is one of the step's reasons. */
function withSaid(node: NodeView, { step, server, text }: WaitEvent, code: ReasonCode): NodeView {
  const reason: Reason = { code, object: server, text }
  return withStep(node, step, (entered) => ({ ...entered, reasons: [...entered.reasons, reason] }))
}

/** The newest entry of this step: a step may be entered more than once, as after a retreat. */
function withStep(node: NodeView, name: Step, change: (step: StepView) => StepView): NodeView {
  const index = node.steps.findLastIndex((step) => step.step === name)
  return { ...node, steps: node.steps.map((step, at) => (at === index ? change(step) : step)) }
}

/** A hold goes on while only its reasons change. */
function withHold(step: StepView, hold: HoldView): StepView {
  const last = step.holds.at(-1)
  if (last === undefined || last.endedAt !== undefined) return { ...step, holds: [...step.holds, hold] }
  return { ...step, holds: [...step.holds.slice(0, -1), { ...hold, startedAt: last.startedAt }] }
}

const endedHolds = (holds: readonly HoldView[], at: number): readonly HoldView[] =>
  holds.map((hold) => (hold.endedAt === undefined ? { ...hold, endedAt: at } : hold))

/** A window replaces its earlier version: it may have grown, been joined with another, or closed. */
function withWindow(windows: readonly WindowView[], event: WindowEvent): readonly WindowView[] {
  const view = windowViewOf(event)
  const isOld = (old: WindowView): boolean => isSameWindow(view.window, old.window)
  const first = windows.findIndex(isOld)
  return first < 0
    ? [...windows, view]
    : windows.flatMap((old, at) => (at === first ? [view] : isOld(old) ? [] : [old]))
}
