import { present } from '../../../src/ground/model/present.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { type PodsKind, podsKindOf } from '../virtual-roll/swarm/pods-kind.ts'

export interface FleetRoll {
  readonly beginsAtMs: number
  readonly nodes: readonly string[]
  /** `slots.maxOut` of its file. */
  readonly maxOut?: number
}

/** What the API does for a while to a share of the requests of rolls and controllers. */
interface ApiTrouble {
  readonly what: 'slow' | 'unheard' | 'away' | 'errors' | 'conflicts'
  readonly fromMs: number
  readonly toMs: number
  readonly share: number
}

/** What the budget's object says from then on; undefined: it is deleted. */
interface BudgetWord {
  readonly atMs: number
  readonly maxOut: string | undefined
}

export interface FleetScenario {
  readonly seed: string
  readonly nodes: number
  readonly budget: readonly [BudgetWord, ...BudgetWord[]]
  readonly rolls: readonly FleetRoll[]
  /** What its pods wait for. */
  readonly pods?: PodsKind
  /** What a controller takes out, how many at once, and how long it keeps each. */
  readonly controller: { readonly nodes: readonly string[]; readonly atOnce: number; readonly keepMs: number }
  /** How many nodes the brake lets be out. */
  readonly brakeMax: number
  /** How often persons claim, withdraw, cordon and uncordon; undefined: never. */
  readonly personsEveryMs?: number
  readonly api: readonly ApiTrouble[]
  /** Machines that lose their power for a while, if no one has them out by then. */
  readonly outages: readonly { readonly node: string; readonly fromMs: number; readonly forMs: number }[]
  /** How many processes are killed, each at one of its writes. */
  readonly deaths: number
  /** From then on nothing is killed or in trouble, and persons withdraw what is theirs. */
  readonly healAtMs: number
}

const SMALLEST = 3
const LARGEST = 200
const KINDS = ['slow', 'unheard', 'away', 'errors', 'conflicts'] as const

/** The same for the same seed. Small fleets are drawn far more often than large ones. */
export function fleetScenario(seed: string): FleetScenario {
  const random = new SeededRandom(`fleet ${seed}`)
  const nodes = Math.round(SMALLEST * (LARGEST / SMALLEST) ** (random.next() ** 1.8))
  const healAtMs = Math.round(random.between(60_000, 150_000))
  const rolls = Array.from({ length: 1 + random.below(3) }, () => aRoll(random, nodes))
  return {
    seed,
    nodes,
    budget: someWords(random, nodes, healAtMs),
    rolls,
    ...present({ pods: podsKindOf(new SeededRandom(`pods of fleet ${seed}`), 0) }),
    controller: {
      nodes: random.next() < 0.75 ? someOf(random, nodes, 1 + random.below(6)) : [],
      atOnce: 1 + random.below(3),
      keepMs: Math.round(random.between(3_000, 20_000)),
    },
    brakeMax: 1 + random.below(Math.min(4, nodes - 1)),
    ...(random.next() < 0.7 ? { personsEveryMs: Math.round(random.between(2_000, 12_000)) } : {}),
    api: random.next() < 0.6 ? someTrouble(random, healAtMs) : [],
    outages: random.next() < 0.3 ? someOutages(random, nodes, healAtMs) : [],
    deaths: random.next() < 0.8 ? 1 + random.below(6) : 0,
    healAtMs,
  }
}

const nameOf = (random: SeededRandom, nodes: number): string => `n${1 + random.below(nodes)}`

/** Of the whole fleet, or of the first few, so that two of them meet on one node. */
function someOf(random: SeededRandom, nodes: number, count: number): readonly string[] {
  const among = random.next() < 0.5 ? nodes : Math.min(nodes, 6)
  return [...new Set(Array.from({ length: count }, () => nameOf(random, among)))]
}

function aRoll(random: SeededRandom, nodes: number): FleetRoll {
  const chosen = someOf(random, nodes, 1 + random.below(5))
  const beginsAtMs = Math.round(random.next() < 0.4 ? 0 : random.between(0, 20_000))
  return { beginsAtMs, nodes: chosen, ...(random.next() < 0.25 ? { maxOut: 1 + random.below(2) } : {}) }
}

function someWords(random: SeededRandom, nodes: number, healAtMs: number): FleetScenario['budget'] {
  const later = Array.from({ length: random.next() < 0.4 ? 1 + random.below(3) : 0 }, () => ({
    atMs: Math.round(random.between(5_000, healAtMs)),
    maxOut: random.next() < 0.3 ? (random.next() < 0.5 ? undefined : 'many') : aLimit(random, nodes),
  }))
  const first = { atMs: 0, maxOut: random.next() < 0.1 ? undefined : aLimit(random, nodes) }
  return [first, ...later.toSorted((one, other) => one.atMs - other.atMs)]
}

/** Mostly so few that they are used up. */
function aLimit(random: SeededRandom, nodes: number): string {
  const few = 1 + random.below(random.next() < 0.9 ? 4 : nodes)
  return random.next() < 0.5 ? `${few}` : `${Math.min(100, Math.ceil((100 * few) / nodes))}%`
}

const someTrouble = (random: SeededRandom, healAtMs: number): readonly ApiTrouble[] =>
  Array.from({ length: 1 + random.below(3) }, () => {
    const fromMs = Math.round(random.between(0, healAtMs - 10_000))
    const toMs = Math.min(healAtMs, fromMs + Math.round(random.between(3_000, 25_000)))
    return { what: KINDS[random.below(KINDS.length)] ?? 'slow', fromMs, toMs, share: random.between(0.2, 0.9) }
  })

const someOutages = (random: SeededRandom, nodes: number, healAtMs: number): FleetScenario['outages'] =>
  Array.from({ length: 1 + random.below(2) }, () => ({
    node: nameOf(random, nodes),
    fromMs: Math.round(random.between(0, healAtMs)),
    forMs: Math.round(random.between(15_000, 60_000)),
  }))
