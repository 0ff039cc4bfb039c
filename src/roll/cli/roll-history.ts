import type { CliContext } from '../../cli/cli-context.ts'
import { outputModes } from '../../cli/output-options.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { shownJson } from '../../ground/model/foreign-text.ts'
import { present } from '../../ground/model/present.ts'
import { plainly } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import { countOf } from '../../ground/text/count-text.ts'
import { blockLines, blockRows } from '../../ground/text/labelled-block.ts'
import { type Paste, pastedIn } from '../../ground/text/paste.ts'
import { type Line, paintLines, type Style } from '../../ground/text/terminal/style.ts'
import { markdownReport } from '../report/markdown-report.ts'
import { reportDocument } from '../report/report-document.ts'
import { traceRequest } from '../report/traces/trace-request.ts'
import { outcomeDocument } from '../report/view/outcome-document.ts'
import { rollViewOf } from '../report/view/reduce-roll.ts'
import type { RollView } from '../report/view/roll-view.ts'
import { placeOfRun } from '../run/remembered-place.ts'
import type { RollActions, RollHistory } from './roll-actions.ts'
import { pasteOf, placeOf, type ReportFlags } from './roll-options.ts'
import { endBlock } from './screen/end-block.ts'
import { eventJson } from './screen/event-json.ts'
import { historyBlock, nodeNowText } from './screen/history-block.ts'
import { originRows } from './screen/origin-rows.ts'
import { nodeTable, summaryLines } from './screen/summary-lines.ts'
import { reportFile, writeReport } from './write-report.ts'

interface HistoryAsk {
  readonly name: 'status' | 'report'
  /** Empty: the newest run. */
  readonly runs: readonly string[]
  readonly flags: ReportFlags
}

interface PastedHistory extends RollHistory {
  readonly paste: Paste
  readonly nodesNow?: readonly string[]
}

/** The journal is shown in any case. */
const ASK_LIMIT_MS = 5_000

interface Asking {
  readonly actions: RollActions
  readonly flags: ReportFlags
  readonly context: CliContext
}

/** A journal without an end may lack more than that: what the Nodes in work show tells. The cluster is asked as the run asked it. */
async function inWorkNow(
  { run, running, events, place }: RollHistory,
  { actions, flags, context }: Asking,
): Promise<Pick<PastedHistory, 'nodesNow'>> {
  const view = rollViewOf(events)
  const nodes = view.nodes.filter(({ state }) => state === 'inWork').map(({ name }) => name)
  if (running || view.end !== undefined || nodes.length === 0 || flags.output !== 'text') return {}
  const { stateDir: _, ...given } = placeOf(flags)
  try {
    const asked = {
      clock: context.clock,
      limitMs: ASK_LIMIT_MS,
      signal: context.interrupts.signal,
      what: 'the cluster',
    }
    const found = await withDeadline(asked, (limited) => actions.nodesNow(placeOfRun(given, place), nodes, limited))
    const nodeOf = new Map(found.map((node) => [node.name, node]))
    return { nodesNow: nodes.map((name) => nodeNowText(name, nodeOf.get(name), run)) }
  } catch (error) {
    if (![UserError, WorldError, DeadlineError].some((known) => error instanceof known)) throw error
    return {
      nodesNow: [
        `${nodes.join(', ')} as the journal has it: the cluster cannot be asked: ${error instanceof Error ? error.message : ''}`,
      ],
    }
  }
}

/** Shows the journal of a roll: its present state, or all that it did. */
export async function historyCommand(
  context: CliContext,
  load: () => Promise<RollActions>,
  ask: HistoryAsk,
): Promise<number> {
  const { flags, runs } = ask
  const [run, ...more] = runs
  if (more.length > 0) {
    throw new UserError(`${countOf(runs.length, 'run')} are named; a report is of one run`, {
      code: 'usage.runs',
      fix: 'name one run, or add --compare for two',
    })
  }
  const { outStyle } = outputModes({ ...flags, progress: 'none' }, context.terminal)
  const actions = await load()
  const stored = await actions.history({ ...placeOf(flags), ...present({ run }) })
  const paste = pasteOf(flags, stored.place)
  const events = pastedIn(stored.events, paste)
  const nodesNow = ask.name === 'status' ? await inWorkNow({ ...stored, events }, { actions, flags, context }) : {}
  const history = { ...stored, ...nodesNow, events, paste }
  // A file that cannot be written is reported first.
  if (flags.html !== undefined) context.err.write(`${await writeReport(history, reportFile(context, flags.html))}\n`)
  context.out.write(resultText(history, { ...ask, style: outStyle }, context))
  return 0
}

/** The text for stdout. */
function resultText(history: PastedHistory, ask: HistoryAsk & { readonly style: Style }, context: CliContext): string {
  const { name, flags, style } = ask
  const view = rollViewOf(history.events)
  switch (flags.output) {
    case 'jsonl':
      return history.events.map(eventJson).join('')
    case 'json': {
      const document = name === 'status' ? outcomeDocument(view, history.running) : reportDocument(history)
      return `${shownJson(document, plainly, 2)}\n`
    }
    case 'markdown':
      return markdownReport(reportDocument(history))
    case 'otlp':
      return `${traceRequest(history)}\n`
    case 'text': {
      const lines = name === 'status' ? statusLines(history, view, context) : reportLines(history, view, context)
      return paintLines(lines, style)
    }
  }
}

const BLOCK_CELLS = 80

function statusLines(history: PastedHistory, view: RollView, { clock, out }: CliContext): readonly Line[] {
  const { columns } = out.size()
  if (view.end !== undefined && !history.running) return summaryLines(view, columns)
  return blockLines(historyBlock(history, view, clock.wallMs()), Math.min(columns, BLOCK_CELLS))
}

function reportLines(history: PastedHistory, view: RollView, context: CliContext): readonly Line[] {
  const verdict = statusLines(history, view, context)
  // The summary of a completed roll has the table already.
  const table = view.end === undefined || endBlock(view) !== undefined ? nodeTable(view) : []
  const rows = [
    { label: 'run', texts: [history.run] },
    ...originRows(view),
    { label: 'journal', texts: [history.journal] },
  ]
  return [...verdict, ...table, ...blockRows(rows, BLOCK_CELLS)]
}
