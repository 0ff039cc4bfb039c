import type { IncomingHttpHeaders } from 'node:http'

/** Servers ask for some seconds. A longer time is cut. */
const RETRY_AFTER_MS_MAX = 120_000

/** The Retry-After header in milliseconds. Only seconds are read, as API servers write them; a date (RFC 9110 10.2.3) is not. */
export function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const written = headers['retry-after']
  return written !== undefined && /^\d{1,9}$/.test(written) ? secondsToWait(Number(written)) : undefined
}

export const secondsToWait = (seconds: number): number => Math.min(Math.max(seconds, 0) * 1000, RETRY_AFTER_MS_MAX)
