import { formatDuration } from '../../../ground/model/duration.ts'
import { distinct } from '../../../ground/model/sentence.ts'
import type { Block } from '../../../ground/text/labelled-block.ts'
import { timeText } from '../../../ground/text/time-text.ts'
import { currentHold, currentStep, type HoldView, type NodeView, type RollView } from '../../report/view/roll-view.ts'
import { besideTexts, loadText, markText, progressText } from './node-text.ts'

const WHY_MAX = 5

/** A long hold in full: the node, the reasons, since when and until when, the state of the node, what helps. */
export function holdBlock(view: RollView, node: NodeView, now: number): Block | undefined {
  const step = currentStep(node)
  const hold = currentHold(step)
  if (step === undefined || hold === undefined) return undefined
  const why = hold.reasons.slice(0, WHY_MAX).map((reason) => reason.text)
  const left = hold.reasons.length - why.length
  const next = distinct(hold.reasons.flatMap(({ next: help = [] }) => help))
  const object = hold.reasons[0]?.object
  const moved = progressText(step)
  const load = [loadText(view), ...besideTexts(view)].join(', ')
  const standing = [`${node.name} is ${markText(node)}`, ...(moved === '' ? [] : [moved]), load]
  return {
    word: 'HOLD',
    tone: 'hold',
    title: `${node.name}, ${step.step}${object === undefined ? '' : `: waits for ${object}`}`,
    rows: [
      { label: 'why', texts: [...why, ...(left > 0 ? [`and ${left} more`] : [])] },
      { label: 'since', texts: [sinceText(hold, now)] },
      { label: 'state', texts: [standing.join('; ')] },
      { label: 'next', texts: next },
    ],
  }
}

/** A time that has passed is left out: the limit stood still meanwhile. */
function sinceText(hold: HoldView, now: number): string {
  const since = `${timeText(hold.startedAt)}, ${formatDuration(Math.max(0, now - hold.startedAt))}; rechecked on every change`
  const { givesUpAt } = hold
  return givesUpAt === undefined || givesUpAt <= now ? since : `${since}, gives up at ${timeText(givesUpAt)}`
}
