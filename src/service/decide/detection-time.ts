import { formatDuration } from '../../ground/model/duration.ts'
import type { EndpointChecks } from '../model/health-endpoint.ts'

/**
 * How long until a checker of a health endpoint has left it, at worst: the first refusal comes up to an interval after the
 * answer changed, and `fall` of them are needed (HAProxy: checks.c; measured with its 2.6: inter 2s fall 3 took 4.3 to 5.8 s).
 * A refusal is an answer, so no check's own time-out is waited for.
 */
export function leaveMs({
  intervalMs,
  fastIntervalMs = intervalMs,
  fall,
  drainsAtOnce,
  slackMs,
}: EndpointChecks): number {
  return intervalMs + (drainsAtOnce ? 0 : (fall - 1) * fastIntervalMs) + slackMs
}

/** How soon a checker may have left it once its checks are not answered any more. */
export const soonestLeaveMs = ({ intervalMs, fastIntervalMs = intervalMs, fall }: EndpointChecks): number =>
  (fall - 1) * Math.min(intervalMs, fastIntervalMs)

/** How long until it is back with all of them, at worst. */
export function returnMs(checks: EndpointChecks): number {
  const { intervalMs, fastIntervalMs = intervalMs, downIntervalMs = intervalMs, rise, slackMs } = checks
  return Math.max(intervalMs, downIntervalMs) + (rise - 1) * fastIntervalMs + slackMs
}

/** Answers that a source must have been given before each of its checkers can have drawn its conclusion. */
export const refusalsNeeded = ({ fall, drainsAtOnce }: EndpointChecks): number => (drainsAtOnce ? 1 : fall)

/** The checks whose time `leaveMs` and `returnMs` are: `a load balancer that checks every 2 s and needs 3 failures`. */
export function checksText(way: 'out' | 'in', checks: EndpointChecks): string {
  const { intervalMs, fastIntervalMs = intervalMs, downIntervalMs = intervalMs, fall, rise, drainsAtOnce } = checks
  const count = way === 'out' ? (drainsAtOnce ? 1 : fall) : rise
  const everyMs = way === 'out' ? intervalMs : Math.max(intervalMs, downIntervalMs)
  const then = count > 1 && fastIntervalMs !== everyMs ? `, then every ${formatDuration(fastIntervalMs)},` : ''
  const needed =
    way === 'out' ? (count === 1 ? '1 failure' : `${count} failures`) : count === 1 ? '1 success' : `${count} successes`
  return `a load balancer that checks every ${formatDuration(everyMs)}${then} and needs ${needed}`
}
