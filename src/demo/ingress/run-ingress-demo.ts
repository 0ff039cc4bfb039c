import type { CliContext } from '../../cli/cli-context.ts'
import { EXIT_FAILED } from '../../cli/exit-codes.ts'
import { type OutputFlags, outputModes } from '../../cli/output-options.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { DemoScreen } from '../demo-screen.ts'
import { judgedRun } from '../judged-run.ts'
import { keepUp } from '../keep-up.ts'
import { PlanPrinter } from '../plan-printer.ts'
import { sideBySide } from '../side-by-side.ts'
import {
  type IngressDemoActions,
  ROLLOUT_KINDS,
  type RolloutCluster,
  type RolloutKind,
} from './ingress-demo-actions.ts'
import { ingressDemoDocument, ingressDemoLines, isSound, keptLines } from './ingress-demo-result.ts'
import { type RolloutOutcome, rolloutOutcome } from './rollout-outcome.ts'

interface IngressDemoFlags extends OutputFlags {
  readonly output: 'text' | 'json'
  readonly keep?: boolean
  readonly balancer: 'auto' | 'embedded'
}

interface Run {
  readonly context: CliContext
  readonly actions: IngressDemoActions
  readonly flags: IngressDemoFlags
  readonly screen: DemoScreen
  /** Whether each step of a node has a line that stays. */
  readonly isLong: boolean
  /** The clusters that are up. */
  readonly grounds: Map<RolloutKind, RolloutCluster>
}

const NAME_CELLS = 18
const ABOUT: Readonly<Record<RolloutKind, string>> = {
  DaemonSet: 'one pod on each node; the balancer checks the pod',
  IngressDaemonSet: 'two pods on each node; the balancer checks the agent of the node',
}

/** Rolls both out on a cluster each, side by side, and compares the losses. Returns the exit code. */
export async function runIngressDemo(
  context: CliContext,
  actions: IngressDemoActions,
  flags: IngressDemoFlags,
): Promise<number> {
  const modes = outputModes(flags, context.terminal)
  const screen = new DemoScreen(context, modes)
  const takeBack = context.onExit(() => screen.restoreCursor())
  const grounds = new Map<RolloutKind, RolloutCluster>()
  const run: Run = { context, actions, flags, screen, grounds, isLong: modes.level > 1 }
  try {
    const both = { items: ROLLOUT_KINDS, lanes: ROLLOUT_KINDS.length }
    const outcomes = await sideBySide(
      { ...both, work: (kind, signal) => rollOut(run, kind, signal) },
      context.interrupts.signal,
    )
    screen.close()
    const isJson = flags.output === 'json'
    const text = isJson
      ? JSON.stringify(ingressDemoDocument(outcomes), null, 2)
      : ingressDemoLines(outcomes, actions.program).join('\n')
    context.out.write(`${text}\n`)
    const kept = grounds.get('IngressDaemonSet')
    if (kept !== undefined) await keepUp(context, keptLines(kept, actions.program), isJson)
    return isSound(outcomes) ? 0 : EXIT_FAILED
  } finally {
    screen.close()
    takeBack()
    await Promise.all([...grounds.values()].map((cluster) => cluster.end()))
  }
}

async function rollOut(run: Run, kind: RolloutKind, signal: AbortSignal): Promise<RolloutOutcome> {
  const { context, actions, flags, screen, grounds, isLong } = run
  const { clock } = context
  const printer = new PlanPrinter(screen, kind, NAME_CELLS)
  printer.note(ABOUT[kind])
  const cluster = await actions.open({ kind, balancer: flags.balancer }, signal)
  grounds.set(kind, cluster)
  const { nodes, url, balancer } = cluster
  printer.opened(nodes, `${nodes.length} nodes are up, ${balancer}; 100 requests a second to ${url}`)
  const judged = await judgedRun(
    { clock, url, actions, onReading: (reading) => printer.reading(reading) },
    async () => {
      const times = new NodeTimes(clock)
      const tell = (node: string, step: string): void => {
        times.step(node, step)
        printer.step(node, step)
        if (isLong && step !== 'done') printer.note(`${node} ${step}`)
      }
      const end = await cluster.rollOut(tell, signal)
      return { ...end, nodes: times.nodes }
    },
    signal,
  )
  signal.throwIfAborted()
  const outcome = rolloutOutcome(kind, judged)
  if (outcome.failure !== undefined) printer.note(`did not finish: ${outcome.failure}`)
  if (flags.keep === true && kind === 'IngressDaemonSet') return outcome
  grounds.delete(kind)
  await cluster.end()
  return outcome
}

/** How long each node took, from its first step until it was done. */
class NodeTimes {
  readonly nodes: { readonly name: string; readonly seconds: number }[] = []
  readonly #clock: Clock
  readonly #begunAtMs = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  step(node: string, step: string): void {
    const nowMs = this.#clock.monoMs()
    const begunAtMs = this.#begunAtMs.get(node) ?? nowMs
    this.#begunAtMs.set(node, begunAtMs)
    if (step === 'done') this.nodes.push({ name: node, seconds: (nowMs - begunAtMs) / 1_000 })
  }
}
