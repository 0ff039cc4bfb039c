import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { FleetScenario } from '../fleet/fleet-scenario.ts'
import { type DrawnFault, NODE_FAULTS, POD_FAULTS, SHARED_FAULTS } from './dns-faults.ts'
import { type DnsSetup, dnsSetup } from './dns-setup.ts'

/** What people and controllers do to DNS meanwhile. */
export interface Deed {
  readonly kind: 'rollout' | 'scale' | 'cordon'
  readonly atMs: number
  /** Replicas, or which node. */
  readonly pick: number
}

export interface DnsScenario {
  readonly seed: string
  readonly nodes: number
  readonly replicas: number
  readonly setup: DnsSetup
  /** What happens right after a repair took a pod out of service. */
  readonly deedAtTouch: 'none' | 'rollout' | 'scale' | 'cordon' | 'kill'
  readonly here: { readonly kind: 'pod' | 'host' | 'outside'; readonly pick: number }
  readonly hasRelays: boolean
  readonly intervalMs: number
  readonly faults: readonly DrawnFault[]
  readonly deeds: readonly Deed[]
  /** When Services are made. */
  readonly servicesAtMs: readonly number[]
  readonly api: FleetScenario['api']
  /** Processes are killed right before or after these of their writes, counted over all of them. */
  readonly killsAtWrites: readonly { readonly nth: number; readonly phase: 'before' | 'after' }[]
  /** And others at any moment. */
  readonly killsAtMs: readonly number[]
  /** How long a quarantined pod stays until a person deletes it. */
  readonly keptMs: number
  /** By how much the clock of the controller is ahead of that of the API server. */
  readonly clockAheadMs: number
  /** From then on nothing is at fault any more. */
  readonly healAtMs: number
}

const HEAL_MS = 300_000
const TROUBLES = ['slow', 'unheard', 'away', 'errors', 'conflicts'] as const

const oneOf = <T>(random: SeededRandom, all: readonly [T, ...T[]]): T => all[random.below(all.length)] ?? all[0]

function faultsOf(random: SeededRandom): readonly DrawnFault[] {
  const count = random.next() < 0.45 ? 2 : 1
  const areAtOnce = random.next() < 0.7
  const firstAt = random.between(5_000, 40_000)
  return Array.from({ length: count }, (_, i): DrawnFault => {
    const chance = random.next()
    const kinds = chance < 0.6 ? POD_FAULTS : chance < 0.85 ? NODE_FAULTS : SHARED_FAULTS
    const kind = oneOf<DrawnFault['kind']>(random, kinds)
    const fromMs = Math.round(i === 0 || areAtOnce ? firstAt : random.between(5_000, 120_000))
    const forMs = random.between(kind === 'stale' ? 170_000 : 40_000, 240_000)
    const toMs = Math.min(HEAL_MS, Math.round(fromMs + forMs))
    return { kind, fromMs, toMs, pick: random.below(1_000), share: random.between(0.1, 0.6) }
  })
}

function deedsOf(random: SeededRandom): readonly Deed[] {
  const count = random.next() < 0.4 ? 1 + random.below(2) : 0
  return Array.from({ length: count }, () => ({
    kind: oneOf(random, ['rollout', 'scale', 'cordon']),
    atMs: Math.round(random.between(5_000, 200_000)),
    pick: random.below(1_000),
  }))
}

function apiOf(random: SeededRandom): FleetScenario['api'] {
  return Array.from({ length: random.next() < 0.5 ? 0 : 1 + random.below(2) }, () => {
    const fromMs = random.between(0, HEAL_MS)
    const toMs = fromMs + random.between(2_000, 40_000)
    return { what: oneOf(random, TROUBLES), fromMs, toMs, share: random.between(0.2, 1) }
  })
}

/** The same for the same seed. */
export function dnsScenario(seed: string): DnsScenario {
  const random = new SeededRandom(`dns ${seed}`)
  const nodes = 3 + random.below(3)
  const replicas = random.next() < 0.15 ? 1 : 2 + random.below(2)
  return {
    seed,
    nodes,
    replicas,
    setup: dnsSetup(seed),
    deedAtTouch: oneOf(new SeededRandom(`dns touch ${seed}`), ['none', 'none', 'rollout', 'scale', 'cordon', 'kill']),
    here: { kind: oneOf(random, ['pod', 'pod', 'pod', 'host', 'outside']), pick: random.below(1_000) },
    hasRelays: random.next() < 0.85,
    intervalMs: 1_000 * (10 + random.below(20)),
    faults: faultsOf(random),
    deeds: deedsOf(random),
    servicesAtMs: Array.from({ length: 6 }, (_, i) => Math.round(i * 55_000 + random.between(0, 40_000))),
    api: apiOf(random),
    killsAtWrites: Array.from({ length: random.below(4) }, () => ({
      nth: 1 + random.below(14),
      phase: random.next() < 0.5 ? 'before' : 'after',
    })),
    killsAtMs: Array.from({ length: random.below(3) }, () => Math.round(random.between(10_000, HEAL_MS))),
    keptMs: Math.round(random.between(20_000, 200_000)),
    clockAheadMs: random.next() < 0.7 ? 0 : Math.round(random.between(-90_000, 90_000)),
    healAtMs: HEAL_MS,
  }
}
