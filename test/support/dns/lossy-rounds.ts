import { LADDER } from '../../../src/dns/decide/ladder.ts'
import { queriesToKnow } from '../../../src/dns/decide/loss.ts'
import { readPath } from '../../../src/dns/decide/path-reading.ts'
import { nextTry, readTry, type Try } from '../../../src/dns/decide/path-script.ts'
import { NONCE, ZONE } from '../../dns/decide/a-zone.ts'
import type { SeededRandom } from '../seeded-random.ts'

const REPLY = {
  rcode: 'REFUSED',
  authoritative: true,
  truncated: false,
  recursive: false,
  answers: [],
  authorities: [],
  extendedErrors: [],
  bytes: 60,
}

type Udp = ReturnType<typeof readPath>['udp']

/** UDP of one path in one round at that loss, of so many queries at least; what is answered does not matter here. */
export function pathAt(loss: number, random: SeededRandom, atLeast = 0): Udp {
  const tries: Try[] = []
  const ask = (next: Parameters<typeof readTry>[0]): void => {
    const outcome =
      random.next() < loss ? ({ kind: 'timeout' } as const) : ({ kind: 'reply', afterMs: 1, reply: REPLY } as const)
    tries.push(readTry(next, outcome, { askedZone: ZONE, nonce: NONCE }))
  }
  for (let next = nextTry(tries, ZONE, NONCE); next !== undefined; next = nextTry(tries, ZONE, NONCE)) ask(next)
  const [again] = LADDER.filter(({ id }) => id === 'L2')
  const question = again?.question(ZONE, NONCE)
  for (;;) {
    const reading = readPath(tries)
    const more = Math.max(queriesToKnow(reading), atLeast - reading.asked)
    if (reading.udp === 'silent' || more <= 0 || again === undefined || question === undefined) return reading.udp
    for (let one = 0; one < more; one += 1) ask({ rung: again, question })
  }
}

/** How many rounds saw something, and in how many the round before had seen it as well. */
export function lossyRounds(count: number, round: () => Udp): { readonly alone: number; readonly twice: number } {
  let [before, alone, twice]: [Udp, number, number] = ['answers', 0, 0]
  for (let i = 0; i < count; i += 1) {
    const now = round()
    if (now !== 'answers') alone += 1
    if (now !== 'answers' && before !== 'answers') twice += 1
    before = now
  }
  return { alone, twice }
}
