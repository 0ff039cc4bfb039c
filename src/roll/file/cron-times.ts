import { Cron } from 'croner'
import { formatDuration } from '../../ground/model/duration.ts'
import { nearestName } from '../../ground/text/nearest-name.ts'

/** What is wrong with a part of a time window, and what to write instead. */
interface CronFault {
  readonly message: string
  readonly hint?: string
  readonly fix: string
}

/** Checks of a file depend on no clock: times are computed from here on, over two leap years at least. */
const REFERENCE = new Date(Date.UTC(2024, 0, 1))
const GAPS_COMPARED = 120

/** Five fields alone: no seconds, no `@daily`, no single date. */
const FIELDS = /^\S+(\s+\S+){4}$/

/** Nothing is scheduled: without a function to call, croner only computes. */
function cronOf(expression: string, timezone: string): Cron {
  const fields = expression.trim()
  return new Cron(fields, { timezone, mode: '5-part', paused: true, domAndDow: wantsBothDays(fields) })
}

/** Of both fields for days either is enough, unless one begins with an asterisk (crontab(5)). */
function wantsBothDays(fields: string): boolean {
  const [, , dayOfMonth = '', , dayOfWeek = ''] = fields.split(/\s+/)
  return dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*')
}

/** The times of an expression after `after`, in order. They depend on `after` and on no clock. */
export function* cronTimes(expression: string, zone: string, after: number): Generator<number> {
  const cron = cronOf(expression, zone)
  for (let at = cron.nextRun(new Date(after)); at !== null; at = cron.nextRun(at)) yield at.getTime()
}

export function cronFault(expression: string): CronFault | undefined {
  const fix = 'cron: "0 22 * * MON-FRI"'
  if (!FIELDS.test(expression.trim()))
    return {
      message: `"${expression}" is not a cron expression`,
      hint: 'five fields: minute, hour, day of the month, month, day of the week',
      fix,
    }
  try {
    const { done } = cronTimes(expression, 'UTC', REFERENCE.getTime()).next()
    if (done !== true) return undefined
    return { message: `"${expression}" never comes true`, hint: 'no such day in any year', fix }
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Cron\w+: /, '') : ''
    return { message: `"${expression}" is not a cron expression`, hint: why, fix }
  }
}

export function zoneFault(zone: string): CronFault | undefined {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone })
    // Offsets are no time zones: they have no summer time.
    if (/^[A-Za-z]/.test(zone)) return undefined
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  const nearest = nearestName(zone, Intl.supportedValuesOf('timeZone')) ?? 'Europe/Berlin'
  return { message: `unknown time zone "${zone}"`, hint: 'a name of the IANA time zone database', fix: nearest }
}

/** Each opening must be over when the next one begins: judged in UTC, where no day has a missing hour. */
export function durationFaultOf(expression: string, durationMs: number): CronFault | undefined {
  const times = cronTimes(expression, 'UTC', REFERENCE.getTime()).take(GAPS_COMPARED).toArray()
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at))
  const shortestMs = Math.min(...gaps, Number.POSITIVE_INFINITY)
  if (durationMs <= shortestMs) return undefined
  return {
    message: `the duration is longer than the time from one opening to the next, which is ${formatDuration(shortestMs)} at its shortest`,
    hint: `"${expression}" opens again before it is over`,
    fix: 'write a shorter duration, or an expression that comes true less often',
  }
}
