import { parseDuration } from '../../ground/model/duration.ts'
import { present } from '../../ground/model/present.ts'

interface DurationFault {
  readonly code: 'config.duration'
  readonly text: string
  readonly hint: string
  /** What was most likely meant. */
  readonly fix?: string
}

const DAYS = /^(\d+)\s*d(ays?)?$/
const LONG_UNIT = /^(\d+(?:\.\d+)?)\s*(millis(?:econds?)?|sec(?:onds?)?|mins|minutes?|hours?|hrs?)$/i

/** What is wrong with a duration as a person wrote it. A bare 0 is also refused, since a file names its units. */
export function durationFault(written: string): DurationFault | undefined {
  const text = written.trim()
  const bare = /^\d+(\.\d+)?$/.test(text)
  const parsed = parseDuration(text)
  if ('ms' in parsed && !bare) return undefined
  const fix = bare ? `${text}s` : meantBy(text)
  const sentence = 'error' in parsed && !bare ? parsed.error.replace(/: write .*$/, '') : `"${text}" has no unit`
  return { code: 'config.duration', text: sentence, hint: 'ms, s, min or h', ...present({ fix }) }
}

function meantBy(text: string): string | undefined {
  const days = DAYS.exec(text)
  if (days !== null) return `${Number(days[1]) * 24}h`
  const long = LONG_UNIT.exec(text)
  if (long === null) return undefined
  const word = (long[2] ?? '').toLowerCase()
  if (word.startsWith('milli')) return `${long[1]}ms`
  return `${long[1]}${word.startsWith('m') ? 'min' : word.slice(0, 1)}`
}
