import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'

/** What the API does for a while to a share of the requests of the controller. */
interface ApiTrouble {
  readonly what: 'slow' | 'unheard' | 'away' | 'errors' | 'conflicts'
  readonly fromMs: number
  readonly toMs: number
  readonly share: number
}

export type HoldKind = 'volumes' | 'pods' | 'http' | 'object' | 'annotation'

/** A hold stands for a node, or cannot be read. */
export interface MemberState {
  readonly hold: HoldKind
  readonly node: string
  readonly fromMs: number
  readonly toMs: number
  /** Of type http: how the target fails. */
  readonly manner: 'held' | 'hangs' | 'errors'
}

/** What happens to nodes and guards meanwhile. */
export type Deed = {
  readonly atMs: number
  readonly node: string
} /** As kubectl drains, with `deletes` as with `--disable-eviction`; then the work, a reboot or not, then the uncordon. */ & (
  | { readonly kind: 'drain'; readonly forMs: number; readonly reboots: boolean; readonly deletes?: true }
  | { readonly kind: 'cordon'; readonly forMs: number }
  /** Its guard is deleted, past every budget. */
  | { readonly kind: 'killGuard' }
  | { readonly kind: 'powerCut'; readonly forMs: number }
  | { readonly kind: 'leave' }
  | { readonly kind: 'join' }
  /** The DaemonSet leaves the node alone, for a while or for good. */
  | { readonly kind: 'unlabel'; readonly forMs: number; readonly forGood: boolean }
  /** A person releases it. */
  | { readonly kind: 'release'; readonly forMs: number }
  | { readonly kind: 'holdByHand'; readonly forMs: number }
  /** A roll has a slot for it. */
  | { readonly kind: 'otherSlot'; readonly forMs: number }
)

export interface GuardScenario {
  readonly seed: string
  readonly nodes: number
  readonly mode: 'PerNode' | 'Budget'
  readonly pending: 'ScaleDown' | 'KeepPending'
  /** Guards that are deleted stay until their node is granted. */
  readonly resistsDeletion: boolean
  /** A second guard of the same group, of all nodes. */
  readonly hasSecond: boolean
  readonly holds: readonly HoldKind[]
  readonly standing: readonly MemberState[]
  readonly maxOut?: number
  readonly deeds: readonly Deed[]
  /** The DaemonSet is deleted then, and made again. */
  readonly targetGone?: { readonly atMs: number; readonly forMs: number }
  /** The template of the guards changes then. */
  readonly templateAtMs?: number
  readonly api: readonly ApiTrouble[]
  readonly apiRestarts: readonly { readonly atMs: number; readonly forMs: number }[]
  /** How many processes are killed, each at one of its writes. */
  readonly deaths: number
  /** From then on nothing is killed or in trouble, and nothing stands. */
  readonly healAtMs: number
}

const HEAL_MS = 90_000
const HOLDS: readonly HoldKind[] = ['volumes', 'pods', 'http', 'object', 'annotation']
const TROUBLES = ['slow', 'unheard', 'away', 'errors', 'conflicts'] as const
const DEEDS = [
  ...['drain', 'drain', 'drain', 'drain', 'cordon', 'killGuard', 'powerCut', 'leave', 'join', 'unlabel'],
  ...['release', 'holdByHand', 'otherSlot'],
] as readonly Deed['kind'][]

/** The same for the same seed. */
export function guardScenario(seed: string): GuardScenario {
  const drawn = drawnBy(seed)
  const old = afterRelease(drawn)
  return locked({ ...drawn, standing: [...drawn.standing, ...old.standing], deeds: [...drawn.deeds, ...old.deeds] })
}

/** Where guards resist deletion, half of the drains delete pods. By chances of their own. */
function locked(scenario: GuardScenario): GuardScenario {
  const random = new SeededRandom(`guard lock ${scenario.seed}`)
  if (random.next() >= 0.3) return scenario
  const deeds = scenario.deeds.map((deed) =>
    deed.kind === 'drain' && random.next() < 0.5 ? ({ ...deed, deletes: true } as const) : deed,
  )
  return { ...scenario, resistsDeletion: true, deeds }
}

/** A node that was released is drained once that is over, while something holds it. Of its own chance. */
function afterRelease({ seed, nodes, holds }: GuardScenario): Pick<GuardScenario, 'standing' | 'deeds'> {
  const random = new SeededRandom(`guard release ${seed}`)
  const [hold] = holds
  if (hold === undefined || random.next() >= 0.3) return { standing: [], deeds: [] }
  const node = `n${1 + random.below(nodes)}`
  const atMs = Math.round(random.between(0, 20_000))
  const drained = { kind: 'drain', node, atMs: atMs + 20_000, forMs: 2_000, reboots: false } as const
  return {
    standing: [{ hold, node, fromMs: atMs + 5_000, toMs: atMs + 60_000, manner: 'held' }],
    deeds: [{ kind: 'release', node, atMs, forMs: 3_000 }, drained],
  }
}

function drawnBy(seed: string): GuardScenario {
  const random = new SeededRandom(`guard ${seed}`)
  const nodes = 2 + random.below(4)
  const mode = random.next() < 0.35 ? 'Budget' : 'PerNode'
  const holds = HOLDS.filter(() => random.next() < 0.35)
  const any = (): string => `n${1 + random.below(nodes)}`
  const standing = holds.flatMap((hold) =>
    Array.from({ length: random.below(4) }, (): MemberState => {
      const fromMs = random.between(0, HEAL_MS - 20_000)
      const manner = random.next() < 0.6 ? 'held' : random.next() < 0.5 ? 'hangs' : 'errors'
      const toMs = Math.min(HEAL_MS, fromMs + random.between(500, 40_000))
      return { hold, node: any(), fromMs, toMs, manner }
    }),
  )
  return {
    ...{ seed, nodes, mode, holds, standing },
    pending: random.next() < 0.7 ? 'ScaleDown' : 'KeepPending',
    resistsDeletion: false,
    hasSecond: random.next() < 0.3,
    ...(random.next() < 0.5 ? {} : { maxOut: 1 + random.below(3) }),
    deeds: deedsOf(random, { any, nodes }),
    ...(random.next() < 0.15
      ? { targetGone: { atMs: random.between(1_000, 60_000), forMs: random.between(1_000, 20_000) } }
      : {}),
    ...(random.next() < 0.25 ? { templateAtMs: random.between(1_000, 60_000) } : {}),
    api: Array.from({ length: random.below(3) }, () => {
      const fromMs = random.between(0, HEAL_MS)
      const what = TROUBLES[random.below(TROUBLES.length)] ?? 'slow'
      const share = random.next() < 0.3 ? 1 : random.between(0.1, 0.7)
      return { what, fromMs, toMs: fromMs + random.between(1_000, 20_000), share }
    }),
    apiRestarts: Array.from({ length: random.next() < 0.3 ? 1 : 0 }, () => ({
      atMs: random.between(0, HEAL_MS - 30_000),
      forMs: random.between(500, 20_000),
    })),
    deaths: random.next() < 0.3 ? 0 : 1 + random.below(8),
    healAtMs: HEAL_MS,
  }
}

interface Fleet {
  readonly any: () => string
  readonly nodes: number
}

function deedsOf(random: SeededRandom, { any, nodes }: Fleet): readonly Deed[] {
  let joins = 0
  return Array.from({ length: 2 + random.below(6) }, (): Deed => {
    const kind = DEEDS[random.below(DEEDS.length)] ?? 'drain'
    const at = { atMs: Math.round(random.between(0, 60_000)), node: any() }
    const forMs = Math.round(random.between(2_000, 25_000))
    switch (kind) {
      case 'drain':
        return { kind, ...at, forMs, reboots: random.next() < 0.4 }
      case 'killGuard':
      case 'leave':
        return { kind, ...at }
      case 'join':
        joins += 1
        return { kind, ...at, node: `n${nodes + joins}` }
      case 'unlabel':
        return { kind, ...at, forMs, forGood: random.next() < 0.5 }
      default:
        return { kind, ...at, forMs }
    }
  })
}
