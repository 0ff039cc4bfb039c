import { formatDuration, formatMinSec } from '../../../ground/model/duration.ts'
import { cellWidth } from '../../../ground/text/cell-width.ts'
import { type Line, type Piece, padCells } from '../../../ground/text/terminal/style.ts'
import { STEPS } from '../../model/step.ts'
import { currentHold, currentStep, type NodeView, type StepView } from '../../report/view/roll-view.ts'
import type { LiveShow } from './live-show.ts'
import { progressText, stageText, stepNumber } from './node-text.ts'
import { reasonsText } from './reasons-text.ts'

const BAR_CELLS = 15
const WIDE_BAR_CELLS = 22

/** Two lines at 80 columns: where it is and how far, and what holds it. */
export function nodeLines(node: NodeView, show: LiveShow): readonly Line[] {
  return [compactNodeLine(node, show), holdLine(node, show)].filter((line) => line.length > 0)
}

/** One line: `w-2  5/11 drain, stage 2 of 2   8 of 11 pods  [########...]  1:12`. */
export function compactNodeLine(node: NodeView, show: LiveShow): Line {
  const step = currentStep(node)
  if (step === undefined) return [{ text: nameColumn(node), tone: 'name' }, 'between two steps']
  const where = { text: `${stepNumber(step)} ${step.step}${stageText(step)}`, tone: 'work' as const }
  const progress = [progressText(step), barText(step, BAR_CELLS, show)].filter((text) => text !== '')
  const tail = [...progress, formatMinSec(show.now - step.startedAt)].join('  ')
  return [{ text: nameColumn(node), tone: 'name' }, where, `   ${tail}`]
}

/** The whole ladder with the step in work in brackets, and what is under way below. */
export function wideNodeLines(node: NodeView, show: LiveShow): readonly Line[] {
  const step = currentStep(node)
  const ladder = STEPS.flatMap((name): (string | Piece)[] =>
    name === step?.step
      ? [{ text: `[${name}${stageText(step).replace(', stage', '')}]`, tone: 'work' }, ' ']
      : [name, ' '],
  )
  const took = step === undefined ? '' : formatMinSec(show.now - step.startedAt)
  const width =
    cellWidth(nameColumn(node)) +
    ladder.reduce((sum, piece) => sum + cellWidth(typeof piece === 'string' ? piece : piece.text), 0)
  const gap = ' '.repeat(Math.max(1, show.size.columns - 1 - width - took.length))
  const below = [progressText(step), barText(step, WIDE_BAR_CELLS, show)].filter((text) => text !== '').join(' ')
  const hold = holdPieces(step, show)
  const second: Line =
    below === '' && hold.length === 0 ? [] : ['     ', below, below === '' || hold.length === 0 ? '' : '  ', ...hold]
  const first: Line = [{ text: nameColumn(node), tone: 'name' }, ...ladder, gap, took]
  return [first, second].filter((line) => line.length > 0)
}

const nameColumn = ({ name }: NodeView): string => `${padCells(name, 4)} `

function holdLine(node: NodeView, show: LiveShow): Line {
  const pieces = holdPieces(currentStep(node), show)
  return pieces.length === 0 ? [] : ['     ', ...pieces]
}

function holdPieces(step: StepView | undefined, { now }: LiveShow): readonly Piece[] {
  const hold = currentHold(step)
  if (hold === undefined) return step?.waits === undefined ? [] : [{ text: `waits: ${reasonsText(step.waits)}` }]
  return [{ text: `held ${formatDuration(now - hold.startedAt)}: ${reasonsText(hold.reasons)}`, tone: 'hold' }]
}

function barText(step: StepView | undefined, cells: number, { style }: LiveShow): string {
  const progress = step?.progress
  if (progress === undefined || progress.total <= 0) return ''
  const filled = Math.round((Math.min(progress.done, progress.total) / progress.total) * cells)
  if (style.symbols === 'unicode') return `${'█'.repeat(filled)}${'░'.repeat(cells - filled)}`
  return `[${'#'.repeat(filled)}${'.'.repeat(cells - filled)}]`
}
