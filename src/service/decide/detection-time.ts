import { formatDuration } from '../../ground/model/duration.ts'
import type { EndpointChecks } from '../model/health-endpoint.ts'

/**
 * How long it takes at most until a checker of a health endpoint has left it: the first refusal comes up to an interval after
 * the answer changed, and `fall` of them are needed (HAProxy: checks.c; measured with its 2.6: inter 2s fall 3 took 4.3 to 5.8
 * s). A refusal is an answer, so no check's time-out is waited for.
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

/** The shortest time in which a checker may leave a node whose checks are not answered any more. */
export const soonestLeaveMs = ({ intervalMs, fastIntervalMs = intervalMs, fall }: EndpointChecks): number =>
  (fall - 1) * Math.min(intervalMs, fastIntervalMs)

/** How long it takes at most until all checkers send to the node again. */
export function returnMs(checks: EndpointChecks): number {
  const { intervalMs, fastIntervalMs = intervalMs, downIntervalMs = intervalMs, rise, slackMs } = checks
  return Math.max(intervalMs, downIntervalMs) + (rise - 1) * fastIntervalMs + slackMs
}

/** How many refusals a source must have been given before each of its checkers can have left. */
export const refusalsNeeded = ({ fall, drainsAtOnce }: EndpointChecks): number => (drainsAtOnce ? 1 : fall)

/** The checks that `leaveMs` and `returnMs` are about: `a load balancer that checks every 2 s and needs 3 failures`. */
export function checksText(way: 'out' | 'in', checks: EndpointChecks): string {
  const { intervalMs, fastIntervalMs = intervalMs, downIntervalMs = intervalMs, fall, rise, drainsAtOnce } = checks
  const count = way === 'out' ? (drainsAtOnce ? 1 : fall) : rise
  const everyMs = way === 'out' ? intervalMs : Math.max(intervalMs, downIntervalMs)
  const then = count > 1 && fastIntervalMs !== everyMs ? `, then every ${formatDuration(fastIntervalMs)},` : ''
  const needed =
    way === 'out' ? (count === 1 ? '1 failure' : `${count} failures`) : count === 1 ? '1 success' : `${count} successes`
  return `a load balancer that checks every ${formatDuration(everyMs)}${then} and needs ${needed}`
}
