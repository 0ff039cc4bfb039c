import type { CliContext } from '../../cli/cli-context.ts'
import { EXIT_FAILED } from '../../cli/exit-codes.ts'
import { type OutputFlags, outputModes } from '../../cli/output-options.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { DemoScreen } from '../demo-screen.ts'
import { keepUp } from '../keep-up.ts'
import type { GuardDemoActions, GuardGround } from './guard-demo-actions.ts'
import { type GuardDemoRun, guardDemoDocument, guardDemoLines, isSound, keptLines } from './guard-demo-result.ts'
import { GuardView } from './guard-view.ts'

interface GuardDemoFlags extends OutputFlags {
  readonly output: 'text' | 'json'
  readonly keep?: boolean
}

/** How long the first node is held, so that a retry of its drain is refused meanwhile. */
const HELD_MS = 6_000
const WORK_MS = 3_000
const LOOK_EVERY_MS = 50
const LIMIT_MS = 50_000

/** Drains two guarded nodes at once, and shows which of them goes when, and why. Returns the exit code. */
export async function runGuardDemo(
  context: CliContext,
  actions: GuardDemoActions,
  flags: GuardDemoFlags,
): Promise<number> {
  const modes = outputModes(flags, context.terminal)
  const screen = new DemoScreen(context, modes)
  const takeBack = context.onExit(() => screen.restoreCursor())
  const { signal } = context.interrupts
  let ground: GuardGround | undefined
  try {
    const view = new GuardView(screen)
    view.say('cluster', 'an embedded cluster comes up')
    ground = await actions.open(signal)
    const run = await drained({ ground, view, clock: context.clock, isLong: modes.level > 1 }, signal)
    screen.close()
    const isJson = flags.output === 'json'
    const text = isJson
      ? JSON.stringify(guardDemoDocument(run), null, 2)
      : guardDemoLines(run, actions.program).join('\n')
    context.out.write(`${text}\n`)
    if (flags.keep === true) await keepUp(context, keptLines(ground, actions.program), isJson)
    return isSound(run) ? 0 : EXIT_FAILED
  } finally {
    screen.close()
    takeBack()
    await ground?.end()
  }
}

interface Showing {
  readonly ground: GuardGround
  readonly view: GuardView
  readonly clock: Clock
  /** Whether each refusal of an eviction has a line. */
  readonly isLong: boolean
}

async function drained(showing: Showing, signal: AbortSignal): Promise<GuardDemoRun> {
  const { ground, view, clock } = showing
  const { nodes, drained: both } = ground
  const volumes = both.map(({ name, volume }) => `${volume} to ${name}`).join(', ')
  view.say('cluster', `${nodes.length} nodes, each with a pod of DaemonSet storage and a guard; attached: ${volumes}`)
  const found = { ground, beganAtMs: clock.monoMs(), detachedAtMs: new Map<string, number>(), words: view.words }
  try {
    await withDeadline({ clock, limitMs: LIMIT_MS, signal, what: 'the drain of two nodes' }, async (limited) => {
      const over = new AbortController()
      const ended = AbortSignal.any([limited, over.signal])
      const told = followed(showing, ended)
      told.catch(() => undefined)
      try {
        const drains = both.map(({ name }) => drainedAndBack(showing, name, ended))
        await Promise.race([Promise.all([...drains, detached(showing, found.detachedAtMs, ended)]), ground.failed])
        // The last words of the NodeGuard: no node asks any more.
        await until(clock, ended, () => ground.told().length === 0)
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

/** As a person who drains a node, works on it, and uncordons it. */
async function drainedAndBack(
  { ground, view, clock, isLong }: Showing,
  node: string,
  signal: AbortSignal,
): Promise<void> {
  view.say(node, { text: 'kubectl drain', tone: 'work' }, ': it is cordoned, and each of its pods is asked to go')
  let refused = 0
  const onRefused = (pod: string): void => {
    refused += 1
    if (isLong || refused === 1)
      view.say(node, `the eviction of ${pod} is refused by its budget; asked again every 5 s`)
  }
  await ground.drain(node, onRefused, signal)
  view.say(node, { text: 'drained', tone: 'work' }, '; the work on it begins')
  await clock.sleep(WORK_MS, signal)
  await ground.uncordon(node, signal)
  view.say(node, { text: 'kubectl uncordon', tone: 'work' })
  await until(clock, signal, () => ground.seen.of(node).backAtMs !== undefined)
  view.say(node, 'its guard is back')
}

/** The first volume while its node is held, and each other one while the node before is out. */
async function detached(
  { ground, view, clock }: Showing,
  detachedAtMs: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  await clock.sleep(HELD_MS, signal)
  for (const { name, volume } of ground.drained) {
    detachedAtMs.set(name, clock.monoMs())
    ground.detach(volume)
    view.say(name, `${volume} is detached`)
    await until(clock, signal, () => ground.seen.of(name).lostAtMs !== undefined)
  }
}

/** Says what the NodeGuard says of each of the two, whenever that is something else. */
async function followed({ ground, view, clock }: Showing, signal: AbortSignal): Promise<void> {
  for (;;) {
    view.told(ground.told().filter(({ name }) => ground.drained.some((one) => one.name === name)))
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
}

async function until(clock: Clock, signal: AbortSignal, holds: () => boolean): Promise<void> {
  while (!holds()) await clock.sleep(LOOK_EVERY_MS, signal)
}
