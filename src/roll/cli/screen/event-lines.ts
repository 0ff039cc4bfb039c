import type { Level } from '../../../cli/output-options.ts'
import { formatMinSec } from '../../../ground/model/duration.ts'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { contextText } from '../../../ground/model/run-origin.ts'
import { cellWidth } from '../../../ground/text/cell-width.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import { type Line, padCells, type Tone } from '../../../ground/text/terminal/style.ts'
import { timeText } from '../../../ground/text/time-text.ts'
import type { NodeResult, StampedEvent } from '../../model/roll-event.ts'
import type { NodeView, RollView } from '../../report/view/roll-view.ts'
import { undecidedTexts } from './node-text.ts'
import { reasonsText } from './reasons-text.ts'

interface Saying {
  readonly node?: string
  readonly word: string
  readonly text: string
  readonly tone?: Tone
}

interface Said extends Saying {
  /** The least level that shows it. */
  readonly level: Level
}

/**
 * The lines of an event that stay; the same on and off a terminal. `view` is the roll after the event. Failed requests are
 * gathered and shown apart from their events.
 */
export function eventLines(view: RollView, event: StampedEvent, level: Level): readonly Line[] {
  const said = saying(view, event)
  return said === undefined || said.level > level ? [] : [saidLine(view, said, Date.parse(event.at))]
}

/** `06:20:13Z w-2    drain     text`, the columns as wide as the longest node name. */
export function saidLine(view: RollView, { node = '-', word, text, tone }: Saying, at: number): Line {
  const names = view.nodes.map(({ name }) => cellWidth(name))
  const nodeCells = Math.min(24, Math.max(6, ...names))
  const shownText = tone === undefined ? text : { text, tone }
  return [`${timeText(at)} `, { text: padCells(node, nodeCells), tone: 'name' }, ` ${padCells(word, 9)} `, shownText]
}

function saying(view: RollView, event: StampedEvent): Said | undefined {
  switch (event.type) {
    case 'roll.started': {
      const word = event.resumed ? 'resume' : 'start'
      const where = contextText(event)
      const parts = [
        event.cluster,
        countOf(event.nodes.length, 'node'),
        `run ${event.run}`,
        ...(where === undefined ? [] : [where]),
      ]
      return { level: 1, word, text: escapeForeign(parts.join(', '), 2000) }
    }
    case 'nodes.chosen': {
      const text = `${countOf(event.needed.length, 'node')} to reboot, ${countText(event.skipped.length)} skipped`
      return { level: 1, word: 'need', text }
    }
    case 'baseline.ended':
      return {
        level: 1,
        word: 'baseline',
        text: `0 failed of ${countText(event.sent)}, p99 ${Math.round(event.p99Ms)} ms`,
      }
    case 'node.ended':
      return nodeEnded(view, event.standing)
    case 'stray': {
      const text = `STRAY ${countOf(event.count, 'request')} sent by ${event.server} after it had confirmed the detach`
      return { level: 0, node: event.node, word: 'stray', text, tone: 'stop' }
    }
    case 'reasserted': {
      const text = `${event.text}, ${Math.round(event.afterMs)} ms after it was last out`
      return { level: 1, node: event.node, word: 'balancer', text }
    }
    case 'idle':
    case 'noticed':
      return { level: 1, node: event.node, word: 'balancer', text: event.text }
    case 'warning':
      return { level: 0, word: 'warning', text: event.text, tone: 'hold', ...(event.node && { node: event.node }) }
    case 'node.started':
    case 'load.tick':
    case 'roll.ended':
    case 'step.changed':
    case 'window.opened':
    case 'window.closed':
      return undefined
    default:
      return stepSaying(view, event)
  }
}

type StepEvent = Extract<
  StampedEvent,
  { type: 'step.started' | 'step.waits' | 'step.ended' | `hold.${string}` | 'write' | 'pod.moved' }
>

function stepSaying(view: RollView, event: StepEvent): Said | undefined {
  const { node } = event
  switch (event.type) {
    case 'step.started':
      return idle(event.reasons)
        ? undefined
        : { level: 2, node, word: event.step, text: `begins: ${reasonsText(event.reasons)}` }
    case 'step.waits':
      return { level: 2, node, word: event.step, text: `waits: ${reasonsText(event.reasons)}` }
    case 'step.ended':
      return { level: 2, node, word: event.step, text: stepEndText(view, event) }
    case 'hold.started':
    case 'hold.changed':
      return { level: 0, node, word: event.step, text: `HOLD ${reasonsText(event.reasons)}`, tone: 'hold' }
    case 'hold.ended':
      return { level: 1, node, word: event.step, text: `goes on, held ${heldText(view, node)}` }
    case 'write':
      return {
        level: 3,
        node,
        word: 'write',
        text: `${event.ok ? '' : 'FAILED '}${event.text}`,
        ...(event.ok ? {} : { tone: 'stop' as const }),
      }
    case 'pod.moved':
      return event.deleted === true
        ? { level: 0, node, word: 'drain', text: `${event.pod} was deleted, stage ${event.stage}` }
        : { level: 2, node, word: 'drain', text: `${event.pod} left, stage ${event.stage}` }
  }
}

const idle = (reasons: readonly Reason[]): boolean => reasons.some(({ code }) => code === 'NothingToDo')

const nodeOf = (view: RollView, name: string): NodeView | undefined => view.nodes.find((node) => node.name === name)

function stepEndText(view: RollView, event: Extract<StepEvent, { type: 'step.ended' }>): string {
  const step = nodeOf(view, event.node)?.steps.findLast(({ step }) => step === event.step)
  if (idle(event.reasons)) return 'was so already'
  return step?.endedAt === undefined ? 'done' : `done in ${formatMinSec(step.endedAt - step.startedAt)}`
}

function heldText(view: RollView, name: string): string {
  const hold = nodeOf(view, name)
    ?.steps.flatMap(({ holds }) => holds)
    .at(-1)
  return hold?.endedAt === undefined ? '' : formatMinSec(hold.endedAt - hold.startedAt)
}

function nodeEnded(view: RollView, standing: NodeResult): Said {
  const { node } = standing
  const word = standing.state === 'inService' ? 'done' : standing.state === 'notTouched' ? 'untouched' : standing.state
  const seen = nodeOf(view, node)
  const took =
    seen?.startedAt === undefined || seen.endedAt === undefined ? [] : [formatMinSec(seen.endedAt - seen.startedAt)]
  const where = standing.state === 'inService' ? [] : [standing.text]
  const text = [...took, ...where, `${countOf(standing.podsMoved, 'pod')} moved`, ...nodeLoadTexts(view, seen)].join(
    ', ',
  )
  return { level: 1, node, word, text, ...(standing.state === 'out' ? { tone: 'stop' as const } : {}) }
}

/** The requests of its time, whatever their failures are blamed on: another number than at the end would need a word why. */
function nodeLoadTexts(view: RollView, node: NodeView | undefined): readonly string[] {
  const { loadBefore: before, loadAfter: after } = node ?? {}
  if (before === undefined || after === undefined) return []
  // An earlier process of the run may have counted what a control has excused since.
  const failed = Math.max(0, after.failed - before.failed)
  return [`${countText(failed)} failed of ${countText(after.sent - before.sent)}`, ...undecidedTexts(view)]
}
