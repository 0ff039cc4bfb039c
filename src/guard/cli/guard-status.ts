import { EXIT_FAILED, EXIT_INTERRUPTED } from '../../cli/exit-codes.ts'
import { InterruptedError } from '../../cli/interrupts.ts'
import type { Result } from '../../cli/print-result.ts'
import type { WatchPrinter } from '../../cli/watch-printer.ts'
import { whileFollowed } from '../../cli/while-followed.ts'
import { FollowCache } from '../../ground/loop/follow-cache.ts'
import { present } from '../../ground/model/present.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { type GuardState, guardStateOf } from '../decide/from-status/guard-state.ts'
import { type CheckedGuard, NODE_GUARDS } from '../decide/guard-kind.ts'
import { findGuard } from '../run/commands/find-guard.ts'
import { guardCommands } from './guard-place.ts'
import type { GuardReading } from './guard-printer.ts'
import { guardDocument } from './status-document.ts'
import { guardLines, guardTable } from './status-lines.ts'
import { type GuardCall, looksAlike } from './sub-command.ts'

interface StatusRun extends GuardCall {
  readonly printer: WatchPrinter<GuardReading>
  readonly watches: boolean
  /** Of all namespaces. */
  readonly isAll: boolean
}

const HELD = 3
const LOOK_MS = 1_000

/** Looks once, or until it is interrupted. Rejects with UserError where the object is not there, and with WorldError. */
export async function guardStatus(run: StatusRun): Promise<Result> {
  const { ground, namespace, name, isAll, signal } = run
  if (name !== undefined && isAll)
    throw new UserError('nodeguard/NAME is one object, and --all-namespaces means several', {
      code: 'guard.usage',
      fix: 'write -n NAMESPACE, or leave out the name',
    })
  const first =
    name === undefined
      ? await ground.objects.list({ kind: NODE_GUARDS, ...(isAll ? {} : { namespace }) }, signal)
      : [await findGuard({ objects: ground.objects, looksAlike }, { namespace, name }, signal)]
  if (!run.watches) return resultOf(run, first, false)
  return await watched(run, first)
}

/** Until it is interrupted, or until the one guard that is watched is gone. */
async function watched(run: StatusRun, first: readonly CheckedGuard[]): Promise<Result> {
  const { ground, namespace, name, isAll, context, printer } = run
  const { clock, interrupts } = context
  const selection = {
    kind: NODE_GUARDS,
    ...(isAll ? {} : { namespace }),
    ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
  }
  const cache = new FollowCache<CheckedGuard>({
    follow: (sink, signal) => ground.objects.follow(selection, sink, signal),
    clock,
  })
  let seen = first
  const look = async (): Promise<Result> => {
    await cache.synced(interrupts.signal)
    for (;;) {
      const now = cache.objects()
      if (name !== undefined && now[0]?.uid !== first[0]?.uid) return goneResult(run, first)
      seen = now
      printer.seen(readingOf(run, now, cache.freshness().error?.message))
      await clock.sleep(LOOK_MS, interrupts.signal)
    }
  }
  try {
    return await whileFollowed(run, (signal) => cache.run(signal), look)
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error
    return resultOf(run, seen, true)
  }
}

const readingOf = ({ name, isAll }: StatusRun, guards: readonly CheckedGuard[], trouble?: string): GuardReading => ({
  guards,
  isOne: name !== undefined,
  namespaced: isAll,
  ...present({ trouble }),
})

/** 0 no node that asks is held; 1 nothing is done by a guard; 3 a node is held or in conflict, or the controller has not looked yet. */
function exitOf(states: readonly Pick<GuardState, 'kind'>[]): number {
  if (states.some(({ kind }) => kind === 'failed')) return EXIT_FAILED
  return states.some(({ kind }) => kind !== 'well') ? HELD : 0
}

function resultOf(run: StatusRun, guards: readonly CheckedGuard[], isCut: boolean): Result {
  const { name, isAll, place, context } = run
  const [one] = guards
  const now = context.clock.wallMs()
  const code = isCut ? EXIT_INTERRUPTED : exitOf(guards.map(guardStateOf))
  if (name === undefined || one === undefined)
    return {
      code,
      lines: () => guardTable(guards, isAll),
      document: { guards: guards.map((guard) => guardDocument(guard, guardCommands(guard, place))) },
    }
  const commands = guardCommands(one, place)
  return {
    code,
    lines: (columns) => guardLines({ guard: one, commands, now, isCut }, columns),
    document: guardDocument(one, commands),
  }
}

function goneResult({ namespace, name = '' }: StatusRun, first: readonly CheckedGuard[]): Result {
  const why = `${name} was deleted`
  return {
    code: EXIT_FAILED,
    lines: () => [[{ text: 'STOPPED', tone: 'stop' }, `  ${namespace}/${name}: ${why}`]],
    document: { namespace, name, generation: first[0]?.generation, outcome: 'failed', code: 'Gone', why },
  }
}
