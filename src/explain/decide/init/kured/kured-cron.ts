import type { KuredReader } from './kured-reader.ts'
import { dayField, openSpans } from './kured-window.ts'

const DAY_MIN = 24 * 60
const HOUR_MIN = 60
/** kured's own default. */
const PERIOD_MS = 3_600_000
/** What divides a day evenly, from the least that is of use: who asks more often learns nothing more. */
const STEPS_MIN = [5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, DAY_MIN]

/**
 * When a RollSchedule makes a Roll, as in crontab: as often as kured asks (`--period`), and only while its time window is open. A period that
 * does not divide a day becomes the next shorter one that does.
 */
export function kuredCron(kured: KuredReader): string {
  const spans = openSpans(kured)
  const step = stepOf(kured)
  const on = dayField(spans[0]?.on ?? [])
  // Of several minutes in an hour, the same ones come in every hour.
  const isEven = spans.every(({ from, minutes }) => from % HOUR_MIN === 0 && minutes % HOUR_MIN === 0)
  if (step < HOUR_MIN && isEven)
    return `*/${step} ${hourField(spans.flatMap((span) => hoursOf(span, HOUR_MIN)))} * * ${on}`
  const minute = (spans.at(-1)?.from ?? 0) % HOUR_MIN
  const hours = spans.flatMap(({ from, minutes }) => {
    const first = from + ((minute - from + DAY_MIN) % HOUR_MIN)
    return hoursOf({ from: first, minutes: from + minutes - first }, Math.max(step, HOUR_MIN))
  })
  return `${minute} ${hourField(hours)} * * ${on}`
}

function stepOf(kured: KuredReader): number {
  const periodMin = (kured.durationMs('period') ?? PERIOD_MS) / 60_000
  return STEPS_MIN.findLast((step) => step <= periodMin) ?? 5
}

const hoursOf = ({ from, minutes }: { readonly from: number; readonly minutes: number }, step: number) =>
  Array.from({ length: Math.max(0, Math.ceil(minutes / step)) }, (_, at) =>
    Math.floor(((from + at * step) % DAY_MIN) / HOUR_MIN),
  )

/** `22-23,0-5` is no range of crontab, so it is `0-5,22-23`. */
function hourField(given: readonly number[]): string {
  const hours = [...new Set(given)].toSorted((one, other) => one - other)
  if (hours.length === 24) return '*'
  const ranges: (readonly [first: number, last: number])[] = []
  for (const hour of hours) {
    const [first, last] = ranges.at(-1) ?? [hour, hour - 2]
    if (last === hour - 1) ranges.splice(-1, 1, [first, hour])
    else ranges.push([hour, hour])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}
