import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { FleetScenario } from '../fleet/fleet-scenario.ts'
import { type DrawnFault, NODE_FAULTS, OBJECT_FAULTS, POD_FAULTS, SHARED_FAULTS } from './dns-faults.ts'
import { type DnsSetup, dnsSetup } from './dns-setup.ts'

/** What people and controllers do to DNS meanwhile. */
export interface Deed {
  readonly kind: 'rollout' | 'scale' | 'cordon'
  readonly atMs: number
  /** Replicas, or which node. */
  readonly pick: number
}

/** Where a process is. */
export interface From {
  readonly kind: 'pod' | 'host' | 'outside'
  readonly pick: number
}

export interface DnsScenario {
  readonly seed: string
  readonly nodes: number
  readonly replicas: number
  readonly setup: DnsSetup
  /** What happens right after a repair took a pod out of service. */
  readonly deedAtTouch: 'none' | 'rollout' | 'scale' | 'cordon' | 'kill'
  /** Replicas of the controller. */
  readonly replicasOfUs: number
  readonly here: From
  readonly hasRelays: boolean
  readonly intervalMs: number
  readonly faults: readonly DrawnFault[]
  readonly deeds: readonly Deed[]
  /** Who checks once beside the controller. */
  readonly persons: readonly { readonly atMs: number; readonly here: From; readonly hasRelays: boolean }[]
  /** Queries from one place: the fewer, the larger the loss that a check does not see. */
  readonly perSecond: number
  /** What the controller may not read. */
  readonly lacks: readonly ('corefile' | 'nodes' | 'pods')[]
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
    const kinds =
      chance < 0.55 ? POD_FAULTS : chance < 0.8 ? NODE_FAULTS : chance < 0.92 ? SHARED_FAULTS : OBJECT_FAULTS
    const kind = oneOf<DrawnFault['kind']>(random, kinds)
    const fromMs = Math.round(i === 0 || areAtOnce ? firstAt : random.between(5_000, 120_000))
    const forMs = random.between(kind === 'stale' ? 170_000 : 40_000, 240_000)
    const toMs = Math.min(HEAL_MS, Math.round(fromMs + forMs))
    return { kind, fromMs, toMs, pick: random.below(1_000), share: random.between(0.1, 0.6) }
  })
}

/** A kube-proxy that keeps its rules matters once pods are replaced. */
const withRollout = (faults: readonly DrawnFault[]): readonly Deed[] =>
  faults.flatMap(({ kind, fromMs, pick }) =>
    kind === 'proxyFrozen' ? [{ kind: 'rollout', atMs: fromMs + 3_000, pick }] : [],
  )

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

/** Of its own chance, too. */
function besideOf(seed: string): Pick<DnsScenario, 'replicasOfUs' | 'persons' | 'lacks' | 'perSecond'> {
  const random = new SeededRandom(`dns beside ${seed}`)
  return {
    replicasOfUs: random.next() < 0.3 ? 2 : 1,
    persons: Array.from({ length: random.below(3) }, () => ({
      atMs: Math.round(random.between(10_000, HEAL_MS)),
      here: fromOf(random),
      hasRelays: random.next() < 0.5,
    })),
    perSecond: random.next() < 0.1 ? 800 : 50,
    lacks: random.next() < 0.8 ? [] : [oneOf(random, ['corefile', 'nodes', 'pods'])],
  }
}

const fromOf = (random: SeededRandom): From => ({
  kind: oneOf(random, ['pod', 'pod', 'pod', 'host', 'outside']),
  pick: random.below(1_000),
})

/** The same for the same seed. */
export function dnsScenario(seed: string): DnsScenario {
  const random = new SeededRandom(`dns ${seed}`)
  const nodes = 3 + random.below(3)
  const replicas = random.next() < 0.15 ? 1 : 2 + random.below(2)
  const here = fromOf(random)
  const hasRelays = random.next() < 0.85
  const intervalMs = 1_000 * (10 + random.below(20))
  const faults = faultsOf(random)
  return {
    seed,
    nodes,
    replicas,
    setup: dnsSetup(seed),
    deedAtTouch: oneOf(new SeededRandom(`dns touch ${seed}`), ['none', 'none', 'rollout', 'scale', 'cordon', 'kill']),
    ...besideOf(seed),
    here,
    hasRelays,
    intervalMs,
    faults,
    deeds: [...deedsOf(random), ...withRollout(faults)],
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
