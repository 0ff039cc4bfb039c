import type { CliContext } from '../../cli/cli-context.ts'
import { EXIT_FAILED } from '../../cli/exit-codes.ts'
import { type OutputFlags, outputModes } from '../../cli/output-options.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { DemoScreen } from '../demo-screen.ts'
import { keepUp } from '../keep-up.ts'
import type { GuardDemoActions, GuardDemoCluster } from './guard-demo-actions.ts'
import { type GuardDemoRun, guardDemoDocument, guardDemoLines, isSound, keptLines } from './guard-demo-result.ts'
import { GuardPrinter } from './guard-printer.ts'

interface GuardDemoFlags extends OutputFlags {
  readonly output: 'text' | 'json'
  readonly keep?: boolean
}

/** How long the first node is held, so that a retry of its drain is refused meanwhile. */
const HELD_MS = 6_000
const WORK_MS = 3_000
const POLL_EVERY_MS = 50
const LIMIT_MS = 50_000

/** Drains two guarded nodes at once, and shows which of them leaves when, and why. Returns the exit code. */
export async function runGuardDemo(
  context: CliContext,
  actions: GuardDemoActions,
  flags: GuardDemoFlags,
): Promise<number> {
  const modes = outputModes(flags, context.terminal)
  const screen = new DemoScreen(context, modes)
  const takeBack = context.onExit(() => screen.restoreCursor())
  const { signal } = context.interrupts
  let cluster: GuardDemoCluster | undefined
  try {
    const printer = new GuardPrinter(screen)
    printer.say('cluster', 'an embedded cluster comes up')
    cluster = await actions.open(signal)
    const run = await drained({ cluster, printer, clock: context.clock, isLong: modes.level > 1 }, signal)
    screen.close()
    const isJson = flags.output === 'json'
    const text = isJson
      ? JSON.stringify(guardDemoDocument(run), null, 2)
      : guardDemoLines(run, actions.program).join('\n')
    context.out.write(`${text}\n`)
    if (flags.keep === true) await keepUp(context, keptLines(cluster, actions.program), isJson)
    return isSound(run) ? 0 : EXIT_FAILED
  } finally {
    screen.close()
    takeBack()
    await cluster?.end()
  }
}

interface Showing {
  readonly cluster: GuardDemoCluster
  readonly printer: GuardPrinter
  readonly clock: Clock
  /** Whether each refusal of an eviction has a line. */
  readonly isLong: boolean
}

async function drained(showing: Showing, signal: AbortSignal): Promise<GuardDemoRun> {
  const { cluster, printer, clock } = showing
  const { nodes, drained: both } = cluster
  const volumes = both.map(({ name, volume }) => `${volume} to ${name}`).join(', ')
  printer.say(
    'cluster',
    `${nodes.length} nodes, each with a pod of DaemonSet storage and a guard; attached: ${volumes}`,
  )
  const found = {
    cluster,
    beganAtMs: clock.monoMs(),
    detachedAtMs: new Map<string, number>(),
    words: printer.words,
  }
  try {
    await withDeadline({ clock, limitMs: LIMIT_MS, signal, what: 'the drain of two nodes' }, async (limited) => {
      const over = new AbortController()
      const ended = AbortSignal.any([limited, over.signal])
      const rows = followed(showing, ended)
      rows.catch(() => undefined)
      try {
        const drains = both.map(({ name }) => drainedAndBack(showing, name, ended))
        await Promise.race([Promise.all([...drains, detached(showing, found.detachedAtMs, ended)]), cluster.failed])
        // The last texts of the NodeGuard: no node asks any more.
        await until(clock, ended, () => cluster.rows().length === 0)
      } finally {
        over.abort()
      }
    })
    return found
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof WorldError) && !(error instanceof DeadlineError)) throw error
    return { ...found, failure: error.message }
  }
}

/** Like a person who drains a node, works on it, and uncordons it. */
async function drainedAndBack(
  { cluster, printer, clock, isLong }: Showing,
  node: string,
  signal: AbortSignal,
): Promise<void> {
  printer.say(node, { text: 'kubectl drain', tone: 'work' }, ': it is cordoned, and each of its pods is asked to go')
  let refused = 0
  const onRefused = (pod: string): void => {
    refused += 1
    if (isLong || refused === 1)
      printer.say(node, `the eviction of ${pod} is refused by its budget; asked again every 5 s`)
  }
  await cluster.drain(node, onRefused, signal)
  printer.say(node, { text: 'drained', tone: 'work' }, '; the work on it begins')
  await clock.sleep(WORK_MS, signal)
  await cluster.uncordon(node, signal)
  printer.say(node, { text: 'kubectl uncordon', tone: 'work' })
  await until(clock, signal, () => cluster.seen.of(node).backAtMs !== undefined)
  printer.say(node, 'its guard is back')
}

/** The first volume while its node is held, and each other one while the node before is out. */
async function detached(
  { cluster, printer, clock }: Showing,
  detachedAtMs: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  await clock.sleep(HELD_MS, signal)
  for (const { name, volume } of cluster.drained) {
    detachedAtMs.set(name, clock.monoMs())
    cluster.detach(volume)
    printer.say(name, `${volume} is detached`)
    await until(clock, signal, () => cluster.seen.of(name).lostAtMs !== undefined)
  }
}

/** Shows the NodeGuard's text about each of the two whenever it changes. */
async function followed({ cluster, printer, clock }: Showing, signal: AbortSignal): Promise<void> {
  for (;;) {
    printer.show(cluster.rows().filter(({ name }) => cluster.drained.some((one) => one.name === name)))
    await clock.sleep(POLL_EVERY_MS, signal)
  }
}

async function until(clock: Clock, signal: AbortSignal, holds: () => boolean): Promise<void> {
  while (!holds()) await clock.sleep(POLL_EVERY_MS, signal)
}
