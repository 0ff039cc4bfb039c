import { Backoff } from '../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { LeaseKeeper } from '../../service/run/lease-keeper.ts'
import type { ClusterView } from './cluster-view.ts'
import type { EventLog } from './event-log.ts'
import type { RunState } from './run-state.ts'

interface Ending {
  readonly clock: Clock
  readonly random: Random
  readonly keeper: Pick<LeaseKeeper, 'state' | 'mayAct'>
}

/** What each part of the end of a run has in its hands. */
export interface RunEnding extends Ending {
  readonly run: RunState
  readonly view: Pick<ClusterView, 'reading'>
  readonly events: Pick<EventLog, 'emit'>
}

/** A person who has pressed Ctrl-C waits no longer than that for an API server. */
const LIMIT_MS = 15_000
const ANSWER_MS = 5_000
const AGAIN = { baseMs: 400, capMs: 4_000 }

/**
 * Repeats what takes marks of a run off the nodes at its end, until it finds none. `takeOff` resolves with how many it found, and
 * with the text of a write that was refused. Returns why some may be left; undefined: none is.
 */
export async function untilNoneLeft(
  { clock, random }: Ending,
  takeOff: () => Promise<{ readonly found: number; readonly failure?: string | undefined }>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const backoff = new Backoff(AGAIN, random)
  const until = clock.monoMs() + LIMIT_MS
  for (;;) {
    const { found, failure } = await takeOff().catch(refused)
    if (failure === undefined && found === 0) return undefined
    if (failure === undefined) continue
    if (clock.monoMs() >= until) return failure
    await clock.sleep(backoff.nextMs(), signal)
  }
}

function refused(error: unknown): { readonly found: number; readonly failure: string } {
  if (error instanceof WorldError || error instanceof DeadlineError) return { found: 0, failure: error.message }
  throw error
}

/** A slot that is held and not renewed stops the writes; they need none. */
export function requireLiveSlot({ keeper }: Ending): void {
  if (keeper.state().kind !== 'free' && !keeper.mayAct())
    throw new WorldError('the slot is not renewed', { code: 'SLOT_LAPSED', retry: 'backoff' })
}

/** One question to the API server, with a limit. */
export const answered = <T>(
  { clock }: Ending,
  ask: (limited: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => withDeadline({ clock, limitMs: ANSWER_MS, signal, what: 'the API server' }, ask)
