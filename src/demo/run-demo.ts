import type { CliContext } from '../cli/cli-context.ts'
import { EXIT_FAILED } from '../cli/exit-codes.ts'
import { type OutputFlags, outputModes } from '../cli/output-options.ts'
import { shownJson } from '../ground/model/foreign-text.ts'
import type { RollHistory } from '../roll/cli/roll-actions.ts'
import { type ReportFile, reportFile, writeReport } from '../roll/cli/write-report.ts'
import type { DemoActions, DemoCluster } from './demo-actions.ts'
import { type DemoPlan, PLAN_DETAILS } from './demo-plan.ts'
import { DemoScreen } from './demo-screen.ts'
import { demoTable } from './demo-table.ts'
import { JUDGE_RATE, judgedRun } from './judged-run.ts'
import { keepUp } from './keep-up.ts'
import { keptText, nextText } from './next-text.ts'
import { type PlanOutcome, planOutcome } from './plan-outcome.ts'
import { PlanPrinter } from './plan-printer.ts'
import { sideBySide } from './side-by-side.ts'

export interface DemoFlags extends OutputFlags {
  readonly output: 'text' | 'json'
  readonly keep?: boolean
  readonly html?: string
  readonly port?: number
  readonly balancer: 'auto' | 'embedded'
}

interface DemoRequest {
  readonly plans: readonly DemoPlan[]
  readonly flags: DemoFlags
}

/** More would take the processor from each other, and from the judge. */
const LANES = 2

/** Runs each plan on a cluster of its own, and compares them. Returns the exit code. */
export async function runDemo(context: CliContext, actions: DemoActions, request: DemoRequest): Promise<number> {
  const { plans, flags } = request
  if (flags.port !== undefined) await actions.checkPort(flags.port)
  const report = flags.html === undefined ? {} : { report: reportFile(context, flags.html) }
  const screen = new DemoScreen(context, outputModes(flags, context.terminal))
  const takeBack = context.onExit(() => screen.restoreCursor())
  const clusters: DemoCluster[] = []
  try {
    const memo: Run['kept'] = {}
    const run = { context, actions, flags, screen, clusters, ...report, kept: memo, last: plans.at(-1) }
    const outcomes = await sideBySide(
      { items: plans, lanes: LANES, work: (plan, signal) => runPlan(run, plan, signal) },
      context.interrupts.signal,
    )
    screen.close()
    for (const line of await reported(run, outcomes)) context.err.write(`${line}\n`)
    print(context, outcomes, { flags, program: actions.program })
    const [kept] = clusters
    if (kept !== undefined) await keepUp(context, keptText(kept, actions.program), flags.output === 'json')
    return outcomes.some(isBroken) ? EXIT_FAILED : 0
  } finally {
    screen.close()
    takeBack()
    await Promise.all(clusters.map((cluster) => cluster.end()))
  }
}

interface Run {
  readonly context: CliContext
  readonly actions: DemoActions
  readonly flags: DemoFlags
  readonly screen: DemoScreen
  /** The clusters that are up. */
  readonly clusters: DemoCluster[]
  readonly last: DemoPlan | undefined
  readonly report?: ReportFile
  /** The journal of the plan that has one. */
  readonly kept: { history?: RollHistory | undefined }
}

async function runPlan(run: Run, plan: DemoPlan, signal: AbortSignal): Promise<PlanOutcome> {
  const { context, actions, flags, screen, clusters, last } = run
  const { clock } = context
  const printer = new PlanPrinter(screen, plan)
  printer.note(PLAN_DETAILS[plan].about)
  const port = plan === last && flags.port !== undefined ? { port: flags.port } : {}
  const cluster = await actions.open({ plan, balancer: flags.balancer, ...port }, signal)
  clusters.push(cluster)
  const { nodes, url, balancer } = cluster
  printer.opened(nodes, `${nodes.length} nodes are up, ${balancer}; 100 requests a second to ${url}`)
  const judged = await judgedRun(
    { clock, url, actions, onReading: (reading) => printer.reading(reading) },
    () => cluster.run((node, step) => printer.step(node, step), signal),
    signal,
  )
  signal.throwIfAborted()
  const outcome = planOutcome(plan, judged)
  // While its cluster still exists.
  if (run.report !== undefined) run.kept.history ??= await cluster.history()
  if (outcome.failure !== undefined) printer.note(`did not finish: ${outcome.failure}`)
  if (flags.keep === true && plan === last) return outcome
  clusters.splice(clusters.indexOf(cluster), 1)
  await cluster.end()
  return outcome
}

/** With the judge's counts for every plan; a line for each thing that people must know about it. */
async function reported({ report, kept }: Run, plans: readonly PlanOutcome[]): Promise<readonly string[]> {
  if (report === undefined || kept.history === undefined) return []
  const lines = await writeReport({ ...kept.history, judged: { ratePerSecond: JUDGE_RATE, plans } }, report)
  return lines.split('\n')
}

/** Only our plan has to keep its promise; the others are for comparison. */
const isBroken = ({ name, failedRequests, failure }: PlanOutcome): boolean =>
  failure !== undefined || (name === 'evenkeel' && failedRequests > 0)

interface Shown {
  readonly flags: DemoFlags
  readonly program: string
}

function print({ out }: CliContext, outcomes: readonly PlanOutcome[], { flags, program }: Shown): void {
  if (flags.output === 'json') out.write(`${shownJson({ plans: outcomes }, null, 2)}\n`)
  else out.write(`${[...demoTable(outcomes), ...nextText(outcomes, program)].join('\n')}\n`)
}
