import type { Wakeup } from '../../ground/loop/wakeup.ts'
import type { EventLog } from './event-log.ts'

/** What became of a pass, as far as the next one goes by it. */
type Passed = { readonly kind: 'act' | 'settled' } | { readonly kind: 'hold'; readonly recheckAfterMs: number }

interface Passes {
  readonly passing: () => void
  readonly pass: () => Promise<Passed>
  readonly events: Pick<EventLog, 'writable' | 'note'>
  readonly wakeup: Wakeup
}

/** The longest time between two passes, whatever a decision asks for. */
export const PASS_AT_LEAST_EVERY_MS = 5000

/** Passes over one node or machine until it is settled. Rejects with the reason of `interrupt`. */
export async function untilSettled({ passing, pass, events, wakeup }: Passes, interrupt: AbortSignal): Promise<void> {
  for (;;) {
    interrupt.throwIfAborted()
    passing()
    const passed = await pass()
    if (!events.writable) events.note('retry', {})
    if (passed.kind === 'settled') return
    if (passed.kind === 'hold') await wakeup.next(Math.min(passed.recheckAfterMs, PASS_AT_LEAST_EVERY_MS), interrupt)
  }
}
