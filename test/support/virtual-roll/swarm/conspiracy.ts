import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import type { Fault } from './fault.ts'
import type { FaultFacts } from './random-faults.ts'

/** How often each comes. */
const SHARE = 0.06

/** Faults that seldom meet by chance, and do harm where they do. */
export function conspiracy(random: SeededRandom, { names, healAtMs }: FaultFacts): readonly Fault[] {
  const node = names[random.below(names.length)] ?? 'n1'
  const die = Math.floor(random.next() / SHARE)
  const earlyMs = random.between(500, 3_000)
  const lateMs = random.between(2_000, healAtMs)
  switch (die) {
    // An eviction that no roll hears of, and a pod that moves on without a roll hearing of it either.
    case 0:
      return [{ kind: 'api', what: 'evictionsUnheard', share: 1, fromMs: 0, toMs: earlyMs + 12_000 }]
    // A slot that cannot be renewed, and a balancer that forgets.
    case 1:
      return [
        { kind: 'api', what: 'away', share: 1, fromMs: earlyMs * 2, toMs: Math.max(healAtMs, earlyMs * 2 + 18_000) },
        { kind: 'reload', atMs: earlyMs * 2 + 14_000, keepsStates: false },
      ]
    case 2:
      return [{ kind: 'partition', node, fromMs: lateMs, toMs: lateMs + random.between(2_000, 6_000) }]
    // A balancer that forgets while the node is dark or on its way back.
    case 3:
      return Array.from({ length: 4 }, () => ({
        kind: 'reload',
        atMs: random.between(0, healAtMs),
        keepsStates: false,
      }))
    // A machine that does not come back, and a balancer that forgets it once the roll has stopped.
    case 4:
      return [
        { kind: 'machine', node: 'n1', luck: { kind: 'never' } },
        { kind: 'reload', atMs: random.between(30_000, 45_000), keepsStates: false },
      ]
    default:
      return []
  }
}
