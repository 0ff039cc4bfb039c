import type { FailureClass, ProbeTarget } from '../../ground/model/probe.ts'
import type { NetworkReply } from '../network/network.ts'
import type { Heard, LinePhase } from './line.ts'

/** What one request came to; without `failure` it was answered as expected. */
export interface RequestVerdict {
  readonly failure?: FailureClass
  readonly error?: string
  /** `POD/NODE`, where the answer says so. */
  readonly servedBy?: string
}

type Expected = Pick<ProbeTarget, 'expectStatus' | 'expectBody'>

const SERVED_BY = 'served by '
const CONNECTION_REFUSED: RequestVerdict = { failure: 'connect', error: 'connect ECONNREFUSED' }
const STALE: RequestVerdict = { failure: 'stale', error: 'socket hang up (ECONNRESET)' }
const RESET: RequestVerdict = { failure: 'reset', error: 'socket hang up (ECONNRESET)' }

export function verdictOf(heard: Heard, expected: Expected): RequestVerdict {
  if (heard.kind === 'refused') return CONNECTION_REFUSED
  if (heard.kind === 'broken') return heard.isReused ? STALE : RESET
  return verdictOfReply(heard.reply, expected)
}

export const overdueVerdict = (phase: LinePhase, limitMs: number): RequestVerdict => ({
  failure: phase === 'connect' ? 'connect' : 'noResponse',
  error: `no full answer within ${limitMs} ms`,
})

function verdictOfReply({ status, body }: NetworkReply, { expectStatus: [low, high], expectBody }: Expected) {
  const servedBy = body.startsWith(SERVED_BY) ? { servedBy: body.slice(SERVED_BY.length).trimEnd() } : undefined
  const failed = (failure: FailureClass, error: string): RequestVerdict => ({ failure, error, ...servedBy })
  if (status < low || status > high) return failed('status', `HTTP ${status}`)
  if (expectBody !== undefined && !body.includes(expectBody)) {
    return failed('content', 'the body does not contain the expected text')
  }
  return servedBy ?? {}
}
