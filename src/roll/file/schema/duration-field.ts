import { z } from 'zod'
import { formatDuration, parseDuration } from '../../../ground/model/duration.ts'
import { durationFault } from '../duration-fault.ts'
import { type FieldText, fieldMeta } from './section.ts'

interface DurationRule extends FieldText {
  /** Bounds, both included, written as in a file. */
  readonly from: string
  readonly to: string
  readonly wholeSeconds?: boolean
}

/** For editors; `parseDuration` decides what is valid. */
const PATTERN = '^\\s*\\d.*(ms|s|m|min|h)\\s*$'

/** A duration with its unit; milliseconds once read. */
export function durationField({ from, to, wholeSeconds = false, ...facts }: DurationRule) {
  const [low, high] = [msOf(from), msOf(to)]
  const range = `${formatDuration(low)} to ${formatDuration(high)}`
  return z
    .string()
    .transform((text, context): number => {
      const fault = durationFault(text)
      const ms = fault === undefined ? msOf(text) : 0
      if (fault !== undefined) {
        context.addIssue({ code: 'custom', message: fault.text, params: fault })
      } else if (ms < low || ms > high) {
        const params = { code: 'config.range', hint: range }
        context.addIssue({ code: 'custom', message: `"${text}" is too ${ms < low ? 'short' : 'long'}`, params })
      } else if (wholeSeconds && ms % 1000 !== 0) {
        const params = { code: 'config.range', fix: `${Math.ceil(ms / 1000)}s` }
        context.addIssue({ code: 'custom', message: `"${text}" is not a whole number of seconds`, params })
      }
      return ms
    })
    .meta({
      ...fieldMeta('duration', { example: '30s', ...facts }),
      description: `${facts.description} ${range}.`,
      pattern: PATTERN,
    })
}

function msOf(text: string): number {
  const parsed = parseDuration(text)
  return 'ms' in parsed ? parsed.ms : Number.NaN
}
