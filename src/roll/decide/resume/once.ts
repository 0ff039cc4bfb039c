import type { StampedEvent } from '../../model/roll-event.ts'

/**
 * What a process is to do that was told to begin one run for a key (`--once`):
 *
 * - `goOn`: the last process of the run was interrupted or killed, so that no process has decided that the run is over;
 * - `over`: the run came to an end by itself, and no node is out. It is not begun again, and what stopped it is for people.
 */
type OnceAnswer = { readonly kind: 'goOn' } | { readonly kind: 'over'; readonly end: StampedEvent }

/** By the whole journal of that run, in order. */
export function onceAnswer(events: readonly StampedEvent[]): OnceAnswer {
  const last = events.findLast(({ type }) => type === 'roll.started' || type === 'roll.ended')
  if (last?.type !== 'roll.ended' || last.outcome === 'interrupted') return { kind: 'goOn' }
  if (last.standings.some(({ state }) => state === 'out')) return { kind: 'goOn' }
  return { kind: 'over', end: last }
}
