import type { Field, Section } from '../roll-file-outline.ts'
import { durationText, type KuredReader } from './kured-reader.ts'

const DAY_MIN = 24 * 60
/** No time window of a roll is shorter. */
const LEAST_MIN = 10
const DAYS = ['su', 'mo', 'tu', 'we', 'th', 'fr', 'sa']
const TIME = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*([ap]m)?$/i

/**
 * `spec.window`, of days, start and end. kured asks on which day it is now: a window that goes over midnight is open in the morning of
 * each of its days, and closed at midnight after the last one. Undefined: kured works always.
 */
export function windowField(kured: KuredReader): Field | undefined {
  const spans = openSpans(kured)
  const isAlways = spans.some(({ minutes, on }) => minutes === DAY_MIN && on.length === DAYS.length)
  if (isAlways) return undefined
  const open = spans.map(({ from, minutes, on }) => ({ value: openItem(from, minutes, on) }))
  const given = ['reboot-days', 'start-time', 'end-time', 'time-zone'].filter((name) => kured.text(name) !== undefined)
  const zone = { key: 'zone', value: zoneOf(kured) }
  const value = { fields: [zone, { key: 'open', value: { items: open } }] }
  return { key: 'window', value, comment: `Of kured: ${given.map((name) => `--${name}`).join(', ')}.` }
}

interface Span {
  /** Minute of the day. */
  readonly from: number
  readonly minutes: number
  /** Days of the week, from Sunday. */
  readonly on: readonly number[]
}

/** When kured reboots. */
export function openSpans(kured: KuredReader): readonly Span[] {
  // What begins at the end of a day begins the next one.
  const start = (minuteOf(kured.text('start-time') ?? '0:00') ?? 0) % DAY_MIN
  const end = minuteOf(kured.text('end-time') ?? '23:59:59') ?? DAY_MIN
  return spansOf({ start, end, days: daysOf(kured) })
}

function spansOf({ start, end, days }: { start: number; end: number; days: readonly number[] }): readonly Span[] {
  if (start <= end) return [{ from: start, minutes: Math.max(end - start, LEAST_MIN), on: days }]
  if (days.length === DAYS.length) return [{ from: start, minutes: DAY_MIN - start + end, on: days }]
  const parts = [
    { from: 0, minutes: end, on: days },
    { from: start, minutes: DAY_MIN - start, on: days },
  ]
  const long = parts.filter(({ minutes }) => minutes >= LEAST_MIN)
  return long.length > 0 ? long : [{ from: 0, minutes: LEAST_MIN, on: days }]
}

function openItem(from: number, minutes: number, on: readonly number[]): Section {
  return {
    fields: [
      { key: 'cron', value: `${from % 60} ${Math.floor(from / 60)} * * ${dayField(on)}` },
      { key: 'duration', value: durationText(minutes * 60_000) },
    ],
  }
}

/** Days of the week, as in crontab. */
export const dayField = (on: readonly number[]): string =>
  on.length === DAYS.length ? '*' : on.map((at) => WORDS[at]).join(',')

const WORDS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** As Go's time package reads the forms that kured knows; a second more is the next minute. Undefined: another form. */
function minuteOf(text: string): number | undefined {
  const [, hour, minute = '0', second = '0', half] = TIME.exec(text.trim()) ?? []
  if (hour === undefined || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 59) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  return hours * 60 + Number(minute) + (Number(second) > 0 ? 1 : 0)
}

/** By names in any length, or numbers from Sunday. Without one that is known, kured takes each day. */
function daysOf(kured: KuredReader): readonly number[] {
  const named = kured
    .all('reboot-days')
    .map((day) => (/^[0-6]$/.test(day) ? Number(day) : DAYS.indexOf(day.toLowerCase().slice(0, 2))))
  const known = [...new Set(named.filter((at) => at >= 0))].toSorted()
  return known.length === 0 ? DAYS.map((_, at) => at) : known
}

/** `Local` is the zone of kured's pod. */
export function zoneOf(kured: KuredReader): string {
  const zone = kured.text('time-zone') ?? 'UTC'
  const meant = zone === 'Local' ? (kured.settings.localZone ?? 'UTC') : zone
  return isZone(meant) ? meant : 'UTC'
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
