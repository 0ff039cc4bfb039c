import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { GuardScenario } from '../virtual-guard/guard-scenario.ts'

/** What people do to a Roll, or to what belongs to it. */
export type OperatorDeed = { readonly atMs: number; readonly roll: string } & (
  | { readonly kind: 'pause'; readonly forMs: number }
  | { readonly kind: 'approve'; readonly node: string }
  | { readonly kind: 'abort' }
  | { readonly kind: 'delete' }
  /** Its Job, with its pod. */
  | { readonly kind: 'deleteJob' }
  /** The pod that works on it is deleted, or killed with its container. */
  | { readonly kind: 'deletePod' }
  | { readonly kind: 'killPod' }
  /** A field of its file is edited, which is not followed. */
  | { readonly kind: 'edit' }
  | { readonly kind: 'label' }
)

export interface DrawnRoll {
  readonly name: string
  readonly atMs: number
  readonly asksApproval: boolean
  readonly isPausedFirst: boolean
  /** Its file is refused. */
  readonly isWrong: boolean
}

export interface OperatorScenario extends Pick<GuardScenario, 'api' | 'apiRestarts' | 'deaths' | 'healAtMs'> {
  readonly seed: string
  readonly nodes: number
  readonly rolls: readonly DrawnRoll[]
  readonly deeds: readonly OperatorDeed[]
}

const HEAL_MS = 240_000
const DEEDS = [
  ...['pause', 'pause', 'approve', 'approve', 'approve', 'abort', 'delete', 'deleteJob', 'deletePod', 'killPod'],
  ...['edit', 'label'],
] as readonly OperatorDeed['kind'][]
const TROUBLES = ['slow', 'unheard', 'away', 'errors', 'conflicts'] as const

/** The same for the same seed. */
export function operatorScenario(seed: string): OperatorScenario {
  const random = new SeededRandom(`operator ${seed}`)
  const nodes = 2 + random.below(3)
  const rolls = Array.from(
    { length: random.next() < 0.5 ? 1 : 2 },
    (_, index): DrawnRoll => ({
      name: `roll-${index + 1}`,
      atMs: Math.round(index === 0 ? 0 : random.between(0, 120_000)),
      asksApproval: random.next() < 0.35,
      isPausedFirst: random.next() < 0.15,
      isWrong: random.next() < 0.08,
    }),
  )
  const anyRoll = (): string => `roll-${1 + random.below(rolls.length)}`
  const deeds = Array.from({ length: random.below(7) }, (): OperatorDeed => {
    const kind = DEEDS[random.below(DEEDS.length)] ?? 'label'
    const at = { atMs: Math.round(random.between(0, HEAL_MS - 20_000)), roll: anyRoll() }
    if (kind === 'pause') return { ...at, kind, forMs: Math.round(random.between(1_000, 90_000)) }
    if (kind === 'approve') return { ...at, kind, node: random.next() < 0.3 ? 'all' : `n${1 + random.below(nodes)}` }
    return { ...at, kind }
  })
  return {
    ...{ seed, nodes, rolls, deeds },
    api: Array.from({ length: random.below(3) }, () => {
      const fromMs = random.between(0, HEAL_MS)
      const what = TROUBLES[random.below(TROUBLES.length)] ?? 'slow'
      const share = random.next() < 0.3 ? 1 : random.between(0.1, 0.7)
      return { what, fromMs, toMs: fromMs + random.between(1_000, 20_000), share }
    }),
    apiRestarts: Array.from({ length: random.next() < 0.25 ? 1 : 0 }, () => ({
      atMs: random.between(0, HEAL_MS - 60_000),
      forMs: random.between(500, 20_000),
    })),
    deaths: random.next() < 0.3 ? 0 : 1 + random.below(8),
    healAtMs: HEAL_MS,
  }
}
