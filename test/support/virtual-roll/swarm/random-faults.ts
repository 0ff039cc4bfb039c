import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import type { BootLuck } from '../../../../src/sim/machines/boot-luck.ts'
import { conspiracy } from './conspiracy.ts'
import type { ApiTrouble, Fault } from './fault.ts'

export interface FaultFacts {
  readonly names: readonly string[]
  readonly healAtMs: number
}

type Draw = (random: SeededRandom, facts: FaultFacts) => Fault

const TROUBLES: readonly (readonly [ApiTrouble, share: number, longestMs: number])[] = [
  ['conflicts', 0.5, 20_000],
  ['tooMany', 0.4, 15_000],
  ['errors', 0.4, 15_000],
  ['slow', 0.5, 20_000],
  ['away', 1, 25_000],
  ['silent', 0.3, 12_000],
  ['unheard', 0.5, 20_000],
  ['staleLists', 1, 40_000],
  ['hidesEvents', 0.05, 30_000],
]

const span = (random: SeededRandom, { healAtMs }: FaultFacts, longestMs: number) => {
  const fromMs = random.between(0, healAtMs)
  return { fromMs, toMs: Math.min(healAtMs, fromMs + random.between(500, longestMs)) }
}

const oneOf = <const T>(random: SeededRandom, of: readonly [T, ...T[]]): T => of[random.below(of.length)] ?? of[0]

const DRAWS: readonly [Draw, ...Draw[]] = [
  (random, facts) => {
    const [what, share, longestMs] = oneOf(random, TROUBLES as typeof TROUBLES & [(typeof TROUBLES)[number]])
    return { kind: 'api', what, share, ...span(random, facts, longestMs) }
  },
  (random, facts) => ({ kind: 'watchesStop', atMs: random.between(0, facts.healAtMs) }),
  (random, facts) => ({ kind: 'logForgotten', atMs: random.between(0, facts.healAtMs) }),
  (random, facts) => ({ kind: 'balancerSilent', ...span(random, facts, 8_000) }),
  (random, facts) => ({
    kind: 'reload',
    atMs: random.between(0, facts.healAtMs),
    keepsStates: random.next() < 0.3,
  }),
  (random, facts) => ({
    kind: 'byHand',
    atMs: random.between(0, facts.healAtMs),
    server: `${oneOf(random, ['web', 'edge'])}/${nodeOf(random, facts)}`,
    to: oneOf(random, ['ready', 'maint', 'drain']),
  }),
  (random, facts) => ({
    kind: 'ssh',
    luck: oneOf(random, ['lost', 'unheard', 'refused']),
    ...span(random, facts, 30_000),
  }),
  (random, facts) => ({ kind: 'machine', node: nodeOf(random, facts), luck: luckOf(random) }),
  (random, facts) => ({
    kind: 'clock',
    atMs: random.between(0, facts.healAtMs),
    byMs: random.next() < 0.5 ? random.between(-10_000, 0) : random.between(0, 3_600_000),
  }),
  (random, facts) => ({ kind: 'kill', atMs: random.between(0, facts.healAtMs) }),
]

/** What happens often is drawn often: troubles of the API, and deaths. */
const WEIGHTS = [8, 1, 1, 2, 3, 2, 2, 3, 1, 5]
const TICKETS = WEIGHTS.flatMap((weight, i) => Array.from({ length: weight }, () => DRAWS[i] ?? DRAWS[0]))

/** One to four of them, now and then none; and now and then some that are bad together. */
export function randomFaults(random: SeededRandom, facts: FaultFacts): readonly Fault[] {
  const count = random.next() < 0.05 ? 0 : 1 + random.below(4)
  const each = Array.from({ length: count }, () => (TICKETS[random.below(TICKETS.length)] ?? DRAWS[0])(random, facts))
  return [...each, ...conspiracy(random.fork('conspiracy'), facts)]
}

const nodeOf = (random: SeededRandom, { names }: FaultFacts): string => names[random.below(names.length)] ?? 'n1'

function luckOf(random: SeededRandom): BootLuck {
  const kind = oneOf(random, ['slow', 'slow', 'never', 'noKubelet', 'neverReady'] as const)
  return kind === 'slow' ? { kind, byMs: random.between(1_000, 25_000) } : { kind }
}
