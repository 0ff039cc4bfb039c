import type { CliContext } from '../../cli/cli-context.ts'
import { resultStyle } from '../../cli/output-options.ts'
import { shownJson } from '../../ground/model/foreign-text.ts'
import { present } from '../../ground/model/present.ts'
import { originOf, type RunOrigin } from '../../ground/model/run-origin.ts'
import { type Column, tableLines } from '../../ground/text/table-lines.ts'
import { paintLines } from '../../ground/text/terminal/style.ts'
import type { RollOutcome } from '../model/roll-event.ts'
import { rollViewOf } from '../report/view/reduce-roll.ts'
import type { RollView } from '../report/view/roll-view.ts'
import type { ListedRun, RollActions } from './roll-actions.ts'
import { type ListFlags, placeOf } from './roll-options.ts'

/** `in progress`: a process has it in work. `interrupted`: it has no end, and no process has it in work. */
type RunState = 'in progress' | 'done' | Exclude<RollOutcome, 'completed'>

interface RunDocument extends RunOrigin {
  readonly run: string
  /** Absent where the journal cannot be read; `problem` says why. */
  readonly cluster?: string
  readonly state?: RunState
  readonly nodesDone?: number
  readonly nodes?: number
  readonly startedAt?: string
  readonly problem?: string
}

const COLUMNS: readonly Column[] = ['run', 'file', 'context', 'state', 'nodes', 'begun', 'reason'].map((title) => ({
  title,
  align: 'left',
}))

/** `evenkeel roll list`. */
export async function listCommand(
  { out, terminal }: CliContext,
  load: () => Promise<RollActions>,
  flags: ListFlags,
): Promise<number> {
  const { stateDir, runs } = await (await load()).list(placeOf(flags))
  const documents = runs.map(runDocument)
  if (flags.output === 'json') {
    out.write(`${shownJson({ v: '1.0', stateDir, runs: documents }, null, 2)}\n`)
    return 0
  }
  const style = resultStyle(flags, terminal)
  const lines = runs.length === 0 ? [`No rolls in ${stateDir}.`] : tableLines(COLUMNS, documents.map(cellsOf))
  out.write(
    paintLines(
      lines.map((line) => [line]),
      style,
    ),
  )
  return 0
}

function runDocument({ run, history, problem }: ListedRun): RunDocument {
  if (history === undefined) return { run, ...present({ problem }) }
  const view = rollViewOf(history.events)
  return {
    run,
    cluster: view.cluster === '' ? (history.spec?.name ?? '') : view.cluster,
    ...(history.place === undefined ? {} : { context: history.place.context }),
    ...originOf(view),
    state: stateOf(view, history.running),
    nodesDone: doneOf(view),
    nodes: view.nodes.length,
    ...(view.startedAt === undefined ? {} : { startedAt: new Date(view.startedAt).toISOString() }),
  }
}

function stateOf({ end }: RollView, running: boolean): RunState {
  if (running) return 'in progress'
  if (end === undefined) return 'interrupted'
  return end.outcome === 'completed' ? 'done' : end.outcome
}

/** At the end by the results of nodes: a node that was restored has ended too, and was not rolled. */
const doneOf = ({ end, nodes }: RollView): number =>
  end === undefined
    ? nodes.filter(({ standing }) => standing?.state === 'inService').length
    : end.standings.filter(({ state }) => state === 'inService').length

function cellsOf(document: RunDocument): readonly string[] {
  const { run, cluster = '-', context = '-', state, nodesDone, nodes, startedAt = '-', reason = '', problem } = document
  if (state === undefined) return [run, '-', '-', 'unreadable', '-', '-', problem ?? '']
  const begun = startedAt === '-' ? '-' : `${startedAt.slice(0, 16).replace('T', ' ')}Z`
  return [run, cluster, context, state, `${nodesDone} of ${nodes}`, begun, reason]
}
