import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { badReply } from './socket-error.ts'

/** A count as HAProxy prints it: decimal digits and nothing else. */
export function parseCount(text: string, what: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) throw badReply(`${what} should be a number and is "${escapeForeign(text, 40)}"`)
  return value
}
