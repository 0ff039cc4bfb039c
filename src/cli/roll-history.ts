import type { CliContext } from './cli-context.ts'
import { outputModes } from './output-options.ts'
import { endBlock } from './roll/end-block.ts'
import { eventJson } from './roll/event-json.ts'
import { historyBlock } from './roll/history-block.ts'
import { outcomeDocument } from './roll/outcome-document.ts'
import { rollViewOf } from './roll/reduce-roll.ts'
import type { RollView } from './roll/roll-view.ts'
import { nodeTable, summaryLines } from './roll/summary-lines.ts'
import type { RollActions, RollHistory } from './roll-actions.ts'
import { type PlaceFlags, placeOf } from './roll-options.ts'
import { type Line, paintLine } from './terminal/style.ts'
import { blockLines } from './text/labelled-block.ts'

interface HistoryAsk {
  readonly name: 'status' | 'report'
  readonly run?: string
  readonly flags: PlaceFlags
}

/** What the journal of a roll tells: where it stands, or all that it did. */
export async function historyCommand(
  context: CliContext,
  load: () => Promise<RollActions>,
  ask: HistoryAsk,
): Promise<number> {
  const { flags, run } = ask
  const { outStyle } = outputModes({ ...flags, progress: 'none' }, context.terminal)
  const actions = await load()
  const history = await actions.history({ ...placeOf(flags), ...(run === undefined ? {} : { run }) })
  const view = rollViewOf(history.events)
  if (flags.output === 'jsonl') context.out.write(history.events.map(eventJson).join(''))
  else if (flags.output === 'json') context.out.write(`${JSON.stringify(outcomeDocument(view), null, 2)}\n`)
  else {
    const lines = ask.name === 'status' ? statusLines(history, view, context) : reportLines(history, view, context)
    context.out.write(`${lines.map((line) => paintLine(line, outStyle)).join('\n')}\n`)
  }
  return 0
}

const BLOCK_CELLS = 80

function statusLines(history: RollHistory, view: RollView, { clock }: CliContext): readonly Line[] {
  if (view.end !== undefined && !history.running) return summaryLines(view)
  return blockLines(historyBlock(history, view, clock.wallMs()), BLOCK_CELLS)
}

function reportLines(history: RollHistory, view: RollView, context: CliContext): readonly Line[] {
  const verdict = statusLines(history, view, context)
  // What completed has the table in its summary.
  const table = view.end === undefined || endBlock(view) !== undefined ? nodeTable(view) : []
  return [...verdict, ...table, [`  run    ${history.run}`], [`  journal ${history.journal}`]]
}
