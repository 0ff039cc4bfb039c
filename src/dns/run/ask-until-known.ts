import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import type { Endpoint } from '../../ground/model/endpoint.ts'
import { type AskedZone, LADDER, type Nonce } from '../decide/ladder.ts'
import { QUERIES_IF_NONE_IS_LOST, queriesToKnow } from '../decide/loss.ts'
import { type PathReading, readPath } from '../decide/path-reading.ts'
import { isSilent, readTry, type Try } from '../decide/path-script.ts'
import type { DnsAsker } from '../ports/dns-asker.ts'

interface Parts {
  readonly asker: DnsAsker
  readonly at: Endpoint
  readonly askedZone: AskedZone
  readonly nonce: Nonce
  readonly timeoutMs: number
  /** Several pods are behind the address, and so many queries reach each of them. 0: one pod. */
  readonly samples: number
  readonly beyond: QueriesBeyond
}

/** To one address so many are under way at once: what loses one of them may lose all. */
const AT_ONCE = 4
/** All of the first queries may have met one dead pod: so many tell that from an address that leads nowhere. */
const TO_SERVICE = 7

/** A round may take so much longer for the queries beyond the ladders, and once more so much where some are lost. */
const LONGER_S = 5

/**
 * The queries of one place, in one round, that are sent to know which paths lose queries. Of very many paths each gets a few: then the check says
 * which loss it may have missed.
 */
export class QueriesBeyond {
  readonly #ofEach: number
  #left: number

  constructor(paths: number, perSecond: number) {
    this.#left = LONGER_S * perSecond
    this.#ofEach = Math.min(QUERIES_IF_NONE_IS_LOST, Math.floor(this.#left / Math.max(1, paths)))
  }

  /** How many come next on a path after what was read of it so far; 0 where no more do. */
  next(reading: PathReading, samples: number): number {
    const { udp, asked, lost } = reading
    const least = Math.max(0, samples - asked)
    if (udp === 'notAsked') return 0
    if (udp === 'silent') return samples === 0 ? 0 : Math.max(0, TO_SERVICE - asked)
    if (lost === 0) return Math.max(least, this.#ofEach - asked)
    const more = Math.min(Math.max(least, queriesToKnow(reading)), this.#left)
    this.#left -= more
    return more
  }
}

/** The tries of a path so far, and those until it is known whether it loses queries. Rejects by abort alone. */
export async function askUntilKnown(tries: readonly Try[], parts: Parts, signal: AbortSignal): Promise<readonly Try[]> {
  const { beyond, samples } = parts
  let all = tries
  for (
    let reading = readPath(all), more = beyond.next(reading, samples);
    more > 0;
    more = beyond.next(reading, samples)
  ) {
    all = [...all, ...(await asked(more, { ...parts, tries }, signal))]
    const now = readPath(all)
    // What is no query of its own does not count, however often it is asked.
    if (now.asked === reading.asked) break
    reading = now
  }
  return all
}

/** What is asked again and again, the best first. */
const RUNGS = ['L2', 'L0', 'L1'] as const

async function asked(
  count: number,
  { asker, at, askedZone, nonce, timeoutMs, tries }: Parts & { readonly tries: readonly Try[] },
  signal: AbortSignal,
): Promise<readonly Try[]> {
  const isAnswered = (id: Try['rung']): boolean =>
    tries.some((one) => one.rung === id && one.over === 'udp' && !isSilent(one))
  const id = RUNGS.find(isAnswered) ?? RUNGS[0]
  const rung = LADDER.find((one) => one.id === id)
  const question = rung?.question(askedZone, nonce)
  if (rung === undefined || question === undefined) return []
  return mapAtOnce(Array.from({ length: count }), AT_ONCE, async () => {
    const outcome = await asker.ask({ at, question, over: 'udp', timeoutMs }, signal)
    return readTry({ rung, question }, outcome, { askedZone, nonce })
  })
}
