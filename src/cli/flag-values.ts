import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../ground/model/duration.ts'

export function count(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('Write a whole number, 0 or more.')
  return Number(text)
}

/** In milliseconds; none is zero. */
export function duration(text: string): number {
  const parsed = parseDuration(text)
  if ('error' in parsed) throw new InvalidArgumentError(`${parsed.error}.`)
  if (parsed.ms === 0) throw new InvalidArgumentError('It cannot be zero.')
  return parsed.ms
}
