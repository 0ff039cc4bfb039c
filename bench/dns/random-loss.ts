import { queriesToSeeAll } from '../../src/dns/decide/sampling.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { lossyRounds, pathAt } from '../../test/support/dns/lossy-rounds.ts'
import { SeededRandom } from '../../test/support/seeded-random.ts'
import type { RandomLossDocument } from './dns-document.ts'

const ROUNDS = 100_000
const LOSS = 0.01
const SEED = 20261125

const PATHS: readonly (readonly [path: string, atLeast: number])[] = [
  ['one pod', 0],
  ['a Service of 10 endpoints', queriesToSeeAll(10)],
]

/** Simulated rounds in which each query is lost with the same chance, and what two of them in a row would have said. */
export const measureRandomLoss = (): readonly RandomLossDocument[] =>
  PATHS.map(([path, atLeast]) => {
    const random = new SeededRandom(SEED)
    const begunAt = clock.monoMs()
    const { alone, twice } = lossyRounds(ROUNDS, () => pathAt(LOSS, random, atLeast))
    const ms = Math.round(clock.monoMs() - begunAt)
    return { bench: 'dns.randomLoss', path, loss: LOSS, rounds: ROUNDS, alone, falseAlarms: twice, ms }
  })
