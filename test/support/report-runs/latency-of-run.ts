import type { LatencySecond } from '../../../src/roll/model/latency-second.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'

/** The latency of each second of a run: some 3 ms, more while pods move, with a peak here and there; the same at every call. */
export function latencyOfRun(events: readonly StampedEvent[]): readonly LatencySecond[] {
  const from = Math.floor(Date.parse(events[0]?.at ?? '') / 1000)
  const to = Math.floor(Date.parse(events.at(-1)?.at ?? '') / 1000)
  const failed = failuresIn(events)
  const drains = spansOf(events, 'drain')
  return Array.from({ length: to - from }, (_, index) => {
    const start = (from + index) * 1000
    const wave = 1 + 0.25 * Math.sin(index / 9) + 0.15 * Math.sin(index * 1.7)
    const busy = drains.some(([begin, end]) => begin <= start && start < end) ? 1.8 : 1
    const peak = index % 97 === 41 ? 9 : 1
    const p50Ms = round(3.1 * wave)
    const p99Ms = round(11 * wave * busy * (peak === 1 ? 1 : 2.2))
    const lost = failed.get(from + index) ?? 0
    return {
      at: new Date(start).toISOString(),
      good: 100 - Math.min(100, lost),
      failed: lost,
      p50Ms,
      p99Ms,
      maxMs: round(p99Ms * 1.4 * peak),
    }
  })
}

const round = (ms: number): number => Math.round(ms * 100) / 100

function failuresIn(events: readonly StampedEvent[]): ReadonlyMap<number, number> {
  const failed = new Map<number, number>()
  for (const event of events) {
    if (event.type !== 'window.closed') continue
    const second = Math.floor(event.window.firstBadAt / 1000)
    failed.set(second, (failed.get(second) ?? 0) + event.window.failed)
  }
  return failed
}

function spansOf(events: readonly StampedEvent[], step: string): readonly (readonly [number, number])[] {
  const at = (type: string): readonly number[] =>
    events.flatMap((event) =>
      event.type === type && 'step' in event && event.step === step ? [Date.parse(event.at)] : [],
    )
  const ends = at('step.ended')
  return at('step.started').map((start, index) => [start, ends[index] ?? Number.POSITIVE_INFINITY])
}
