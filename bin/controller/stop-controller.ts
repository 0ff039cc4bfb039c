import type { Leader } from '../../src/ground/loop/leader.ts'
import { shutDown } from '../../src/ground/loop/shutdown.ts'
import type { Clock } from '../../src/ground/ports/clock.ts'

const PASS_LIMIT_MS = 3_000
const RELEASE_LIMIT_MS = 2_000

export const STOPPED = new Error('stopped')

interface RunningController {
  readonly leader: Pick<Leader, 'release'>
  /** Settles once `leading` is aborted. */
  readonly led: Promise<unknown>
  readonly leading: AbortController
  readonly loops: readonly { stop(): Promise<void> }[]
  /** Settles once `life` is aborted: the watches, and an effect that is under way. */
  readonly working: Promise<unknown>
  readonly life: AbortController
  readonly closePages: () => Promise<void>
}

/**
 * Stops a controller in order; returns what did not stop. The Lease is renewed until the last effect is over, and released only then. An
 * effect that takes longer is broken off, and may be carried out all the same: the Lease is then left to lapse.
 */
export function stopController(running: RunningController, clock: Clock): ReturnType<typeof shutDown> {
  const { leader, led, leading, loops, working, life, closePages } = running
  const settled = (work: Promise<unknown>) => work.then(nothing, (error: unknown) => unlessStopped(error))
  let areLoopsOver = false
  return shutDown(
    [
      {
        name: 'the loops',
        limitMs: PASS_LIMIT_MS,
        stop: async (signal) => {
          signal.addEventListener('abort', () => life.abort(STOPPED), { once: true })
          await Promise.all(loops.map((one) => one.stop()))
          areLoopsOver = !signal.aborted
        },
      },
      {
        name: 'the Lease',
        limitMs: RELEASE_LIMIT_MS,
        stop: async (signal) => {
          leading.abort(STOPPED)
          await settled(led)
          if (areLoopsOver) await leader.release(signal)
        },
      },
      {
        name: 'the watches',
        limitMs: PASS_LIMIT_MS,
        stop: async () => {
          life.abort(STOPPED)
          await settled(working)
        },
      },
      { name: 'the pages', limitMs: PASS_LIMIT_MS, stop: closePages },
    ],
    clock,
  )
}

const nothing = (): undefined => undefined
const unlessStopped = (error: unknown): undefined => {
  if (error !== STOPPED) throw error
}
