import { formatDuration } from '../../../ground/model/duration.ts'
import { type MonoMs, monoMs } from '../../../ground/model/time.ts'
import { checksText, leaveMs, returnMs } from '../../decide/detection-time.ts'
import type { Noticing } from '../../decide/evidence.ts'
import type { ServerReading } from '../../model/balancer.ts'
import type { HealthCheckSpec } from '../../model/health-check.ts'

interface Seen {
  readonly reading: ServerReading | undefined
  readonly spec: HealthCheckSpec
  readonly now: MonoMs
}

/**
 * Adds a poll to what was seen of the node's health check. `heardSince` is the first answer of the wanted way, to a question
 * that was asked after the mark was seen set, or removed. Another answer in between begins the wait anew: every balancer may
 * have begun to count anew. So does silence, which may hide such an answer.
 *
 * Law: no time of detection is over before the health check of the node was seen to answer so for all of it.
 */
export function notice(before: Noticing | undefined, { reading, spec, now }: Seen): Noticing | undefined {
  const check = reading?.nodeCheck
  if (reading === undefined || check === undefined) return before
  const way = reading.ownState === 'ready' ? 'in' : 'out'
  const seen: Noticing = before?.way === way ? before : { way, since: now }
  const worstMs = way === 'out' ? leaveMs(spec.checks) : returnMs(spec.checks)
  const words = wordsOf(way, spec)
  if (!check.asked) {
    if (seen.noticed !== undefined || now - seen.since < spec.markDelayMs + worstMs) return seen
    return { ...seen, noticed: { by: 'time', at: now, words } }
  }
  const wanted = way === 'out' ? 'refused' : 'good'
  // Once the balancers have noticed, the pods that answered may leave: silence changes nothing then.
  if (seen.noticed !== undefined && (check.answer === wanted || check.answer === 'unheard')) return seen
  if (check.answer !== wanted) return { way, since: seen.noticed === undefined ? seen.since : now }
  if (check.at < seen.since) return { way, since: seen.since }
  const heardSince = seen.heardSince ?? now
  const asOf = monoMs(Math.min(now, check.at))
  const heard: Noticing = { way, since: seen.since, heardSince }
  return asOf - heardSince < worstMs ? heard : { ...heard, noticed: { by: 'time', at: now, from: heardSince, words } }
}

/** The text behind `waited 8 s`: what was waited for, which may not have been seen. */
function wordsOf(way: Noticing['way'], { check, checks, markDelayMs }: HealthCheckSpec): string {
  const noticeMs = (way === 'out' ? leaveMs(checks) : returnMs(checks)) - checks.slackMs
  const noticed = `${checksText(way, checks)} has noticed by then (${formatDuration(noticeMs)}, plus ${formatDuration(checks.slackMs)} of slack`
  if (check !== undefined) return `from its first ${way === 'out' ? 'failed' : 'passed'} health check; ${noticed})`
  return `from the ${way === 'out' ? 'mark' : 'removal of the mark'}; ${noticed}, after ${formatDuration(markDelayMs)} for the health check to follow, which the roll does not see)`
}
