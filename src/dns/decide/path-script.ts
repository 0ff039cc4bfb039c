import { present } from '../../ground/model/present.ts'
import type { DnsOutcome, DnsQuestion } from '../model/dns.ts'
import { type AskedZone, LADDER, type Nonce, type Rung, type RungReading } from './ladder.ts'

/** One query that was asked on a path: from one vantage to one target. */
export interface Try {
  readonly rung: Rung['id']
  readonly over: 'udp' | 'tcp'
  readonly question: DnsQuestion
  readonly outcome: DnsOutcome
  /** Of the answer, where one came. */
  readonly reading?: RungReading
}

interface NextTry {
  readonly rung: Rung
  readonly question: DnsQuestion
  /** A socket that is not connected also sees a reply from another address. A connected socket does not. */
  readonly socket: 'connected' | 'unconnected'
}

/** After this many unanswered tries of L0, nothing else is queried. */
const FIRST_TRIES = 4
const SILENT_OF_FIRST = 3
/** A rung without an answer is tried once more: one lost packet in a hundred is normal. */
const TRIES_OF_RUNG = 2

export const isSilent = ({ outcome }: Pick<Try, 'outcome'>): boolean => outcome.kind !== 'reply'

/** The next query on a path, after the tries so far. Undefined: this round of the path is over. */
export function nextTry(tries: readonly Try[], askedZone: AskedZone, nonce: Nonce): NextTry | undefined {
  const isDead = tries.filter((one) => one.rung === 'L0' && isSilent(one)).length >= SILENT_OF_FIRST
  for (const rung of LADDER) {
    const asked = tries.filter((one) => one.rung === rung.id)
    const most = rung.id === 'L0' ? FIRST_TRIES : TRIES_OF_RUNG
    if (asked.length >= most || asked.some((one) => !isSilent(one)) || (isDead && rung.over === 'udp')) continue
    const question = rung.question(askedZone, nonce)
    const isSecondTry = asked.length === 1 && asked[0]?.outcome.kind === 'timeout'
    if (question !== undefined) return { rung, question, socket: isSecondTry ? 'unconnected' : 'connected' }
  }
  return undefined
}

export function readTry(
  { rung, question, over = rung.over }: Pick<NextTry, 'rung' | 'question'> & { readonly over?: 'udp' | 'tcp' },
  outcome: DnsOutcome,
  { askedZone, nonce }: { readonly askedZone: AskedZone; readonly nonce: Nonce },
): Try {
  const reading = outcome.kind === 'reply' ? rung.read(outcome.reply, askedZone, nonce) : undefined
  return { rung: rung.id, over, question, outcome, ...present({ reading }) }
}
