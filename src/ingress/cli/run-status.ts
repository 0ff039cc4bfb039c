import type { CliContext } from '../../cli/cli-context.ts'
import { EXIT_INTERRUPTED } from '../../cli/exit-codes.ts'
import { InterruptedError } from '../../cli/interrupts.ts'
import type { Result } from '../../cli/print-result.ts'
import type { WatchPrinter } from '../../cli/watch-printer.ts'
import { whileFollowed } from '../../cli/while-followed.ts'
import { CONTROLLER_LEASE } from '../../ground/model/lease.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import { type RolloutState, rolloutStateOf } from '../decide/rollout/rollout-state.ts'
import { findIngress, type IngressAddress } from '../run/commands/find-ingress.ts'
import { RolloutWatch } from '../run/commands/rollout-watch.ts'
import { commandsOf, type RolloutGround, type RolloutPlace } from './rollout-place.ts'
import { statusDocument } from './status-document.ts'
import { endLines, exitOf, nextSteps, type StatusEnd } from './status-end.ts'
import { cureLines, nodeLines, shownNodes } from './status-lines.ts'
import type { Seen } from './status-printer.ts'

interface StatusRun {
  readonly ground: RolloutGround
  readonly at: IngressAddress
  readonly context: CliContext
  readonly printer: WatchPrinter<Seen>
  readonly place: RolloutPlace
  readonly controllerNamespace: string
  readonly watches: boolean
  readonly timeoutMs?: number
}

const LOOK_MS = 1_000
/** What seems to hold may be the moment between two writes of the controller. */
const SETTLED_AFTER_MS = 5_000
const MOST_NODES = 50

/** Looks until the rollout is done or does not go on. Rejects with UserError where the object is not there, and with WorldError. */
export async function runStatus(run: StatusRun): Promise<Result> {
  const { ground, at, controllerNamespace } = run
  const { interrupts, clock } = run.context
  const found = await findIngress(ground.objects, at, interrupts.signal)
  const lease = { namespace: controllerNamespace, name: CONTROLLER_LEASE }
  const watch = new RolloutWatch({ ...ground, clock, lease }, found)
  const { seen, end } = await whileFollowed(
    run,
    (signal) => watch.run(signal),
    () => looked(run, watch, found),
  )
  return resultOf(run, seen, end)
}

interface Looked {
  readonly seen: Seen
  readonly end: StatusEnd
}

async function looked(run: StatusRun, watch: RolloutWatch, found: CheckedIngress): Promise<Looked> {
  const { interrupts, clock } = run.context
  const begunAt = clock.monoMs()
  let seen: Seen = { object: found, state: rolloutStateOf(found), reading: { object: found, deployments: [] } }
  let since = begunAt
  try {
    await watch.synced(interrupts.signal)
    for (;;) {
      const before = seen.state
      seen = await seenOf(watch, found, interrupts.signal)
      const { kind, code } = seen.state
      if (kind !== before.kind || code !== before.code) since = clock.monoMs()
      if (!run.watches) return { seen, end: 'looked once' }
      run.printer.seen(seen)
      if (isSettled(seen, clock.monoMs() - since)) return { seen, end: 'settled' }
      if (clock.monoMs() - begunAt >= (run.timeoutMs ?? Number.POSITIVE_INFINITY)) return { seen, end: 'timeout' }
      await clock.sleep(LOOK_MS, interrupts.signal)
    }
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error
    return { seen, end: 'interrupted' }
  }
}

async function seenOf(watch: RolloutWatch, found: CheckedIngress, signal: AbortSignal): Promise<Seen> {
  const reading = await watch.read(signal)
  const { object } = reading
  // A successor of the same name is another object.
  if (object?.uid === found.uid) return { object, state: rolloutStateOf(object), reading }
  const gone: RolloutState = { kind: 'failed', code: 'Gone', why: `${found.name} was deleted`, nodes: [] }
  return { object: object ?? found, state: gone, reading }
}

function isSettled({ state: { kind, code } }: Seen, forMs: number): boolean {
  if (kind === 'done' || code === 'Gone') return true
  return (kind === 'failed' || kind === 'held') && forMs >= SETTLED_AFTER_MS
}

function resultOf(run: StatusRun, { object, state, reading }: Seen, end: StatusEnd): Result {
  const lease = { namespace: run.controllerNamespace, name: CONTROLLER_LEASE }
  const ended = { object, state, end, unled: reading.unled, commands: commandsOf(object, run.place), lease }
  const nodes = shownNodes(state, reading)
  return {
    code: end === 'interrupted' ? EXIT_INTERRUPTED : exitOf(state),
    lines: (columns) => [
      ...nodeLines(nodes, { now: run.context.clock.wallMs(), most: MOST_NODES }),
      ...cureLines(nodes),
      ...endLines(ended, columns),
    ],
    document: statusDocument({ object, state, reading, end, next: nextSteps(ended) }),
  }
}
