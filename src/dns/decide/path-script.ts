import { present } from '../../ground/model/present.ts'
import type { DnsOutcome, DnsQuestion } from '../model/dns.ts'
import { type AnsweredBy, type AskedZone, LADDER, type Nonce, type Rung, type RungReading } from './ladder.ts'

/** One query that was asked on a path: from one vantage to one target. */
export interface Try {
  readonly rung: Rung['id']
  readonly over: 'udp' | 'tcp'
  readonly question: DnsQuestion
  readonly outcome: DnsOutcome
  readonly answeredBy: AnsweredBy
  /** Of the answer, where one came. */
  readonly reading?: RungReading
}

interface NextTry {
  readonly rung: Rung
  readonly over: 'udp' | 'tcp'
  readonly question: DnsQuestion
  /** A socket that is not connected also sees a reply from another address. A connected socket does not. */
  readonly socket: 'connected' | 'unconnected'
}

/** If the first so many queries over UDP get no answer, nothing else is queried over UDP; if those about the zone, nothing else about it. */
const SILENT_OF_FIRST = 3
/** A rung without an answer is tried once more: one lost packet in a hundred is normal. */
const TRIES_OF_RUNG = 2

const TRUNCATED: RungReading = { kind: 'moot', text: 'the reply is truncated' }

export const isSilent = ({ outcome }: Pick<Try, 'outcome'>): boolean => outcome.kind !== 'reply'

/**
 * The reply did not fit, or the server limits its replies over UDP (RFC 2181 9): it lives, and what it knows is asked again over TCP. To L0 any
 * reply is a whole answer.
 */
const isTruncated = ({ rung, over, outcome }: Pick<Try, 'rung' | 'over' | 'outcome'>): boolean =>
  rung !== 'L0' && over === 'udp' && outcome.kind === 'reply' && outcome.reply.truncated

/** Whether the query is about the zone of the cluster. */
export const isOfZone = ({ rung }: Pick<Try, 'rung'>): boolean => rung !== 'L0' && rung !== 'L7'

/** The next query on a path, after the tries so far. Undefined: this round of the path is over. */
export function nextTry(tries: readonly Try[], askedZone: AskedZone, nonce: Nonce): NextTry | undefined {
  const overUdp = tries.filter(({ over }) => over === 'udp')
  const isUnanswered = (some: readonly Try[]): boolean => some.length >= SILENT_OF_FIRST && some.every(isSilent)
  const isZoneUnanswered = isUnanswered(overUdp.filter(isOfZone))
  const isDead = {
    udp: isUnanswered(overUdp),
    tcp: tries.filter((one) => one.over === 'tcp' && isSilent(one)).length >= TRIES_OF_RUNG,
  }
  for (const rung of LADDER) {
    const ofRung = tries.filter((one) => one.rung === rung.id)
    const over = ofRung.some(isTruncated) ? 'tcp' : rung.over
    const asked = ofRung.filter((one) => one.over === over)
    if (asked.length >= TRIES_OF_RUNG || asked.some((one) => !isSilent(one)) || isDead[over]) continue
    if (isZoneUnanswered && rung.over === 'udp' && isOfZone({ rung: rung.id })) continue
    const question = rung.question(askedZone, nonce)
    const isSecondTry = asked.length === 1 && asked[0]?.outcome.kind === 'timeout'
    if (question !== undefined) return { rung, over, question, socket: isSecondTry ? 'unconnected' : 'connected' }
  }
  return undefined
}

export function readTry(
  { rung, question, over = rung.over }: Pick<NextTry, 'rung' | 'question'> & Partial<Pick<NextTry, 'over'>>,
  outcome: DnsOutcome,
  { askedZone, nonce }: { readonly askedZone: AskedZone; readonly nonce: Nonce },
): Try {
  const isCut = isTruncated({ rung: rung.id, over, outcome })
  const read = outcome.kind === 'reply' && !isCut ? rung.read(outcome.reply, askedZone, nonce) : undefined
  const reading = isCut ? TRUNCATED : read
  return { rung: rung.id, over, question, outcome, answeredBy: rung.answeredBy(askedZone), ...present({ reading }) }
}
