import { present } from '../../../../src/ground/model/present.ts'
import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import type { ControlState } from '../control-target.ts'
import { type PodsKind, podsKindOf } from './pods-kind.ts'
import type { WorldFault } from './world-fault.ts'

/** A balancer of the roll file, and the HAProxy instances that it names. */
export interface BalancerKind {
  readonly name: string
  readonly instances: readonly string[]
  readonly backends: readonly ('web' | 'edge')[]
  /**
   * How a roll moves it where that is not its runtime API: it goes by what the agents of the nodes answer, or by health checks that a
   * mark on the Node makes fail; a detacher of the cluster moves it, or commands do.
   */
  readonly by?: 'agents' | 'mark' | 'detacher' | 'commands'
}

/** `slowstart` of all servers; and the node whose server of `web` is a backup. */
interface UnevenServers {
  readonly slowStartMs?: number
  readonly backup?: string
}

/** What a roll runs in, as plain data: the world is built from it, and the roll file says the same. */
export interface WorldKind {
  readonly balancers: readonly BalancerKind[]
  /** `cookies`: clients of `web` come back to the server that they know. `track`: servers of `edge` track those of `web`. */
  readonly servers?: 'cookies' | 'track'
  /** Not all servers carry the same. */
  readonly uneven?: UnevenServers
  /** Some requests take longer than a roll waits for sessions to end. */
  readonly hasLongRequests?: boolean
  /** How the agents of the nodes are, where a balancer goes by them. */
  readonly agents?: { readonly countsConnections: boolean; readonly declaresCheckers: boolean }
  /** How the control target of the probe begins; absent: there is none. */
  readonly control?: ControlState
  /** What its pods wait for; absent: each is one container that is ready soon. */
  readonly pods?: PodsKind
  readonly faults: readonly WorldFault[]
}

interface WorldFacts {
  /** Of the nodes. */
  readonly names: readonly string[]
  readonly healAtMs: number
  /** One of which the world has. */
  readonly layouts?: Layouts | undefined
}

const ONE: readonly BalancerKind[] = [{ name: 'lb', instances: ['lb-1'], backends: ['web', 'edge'] }]
const PAIR: readonly BalancerKind[] = [{ name: 'lb', instances: ['lb-1', 'lb-2'], backends: ['web', 'edge'] }]
const TWO: readonly BalancerKind[] = [
  { name: 'lb', instances: ['lb-1'], backends: ['web'] },
  { name: 'inner', instances: ['lb-2'], backends: ['edge'] },
]
const PAIR_AND_INNER: readonly BalancerKind[] = [
  { name: 'lb', instances: ['lb-1', 'lb-2'], backends: ['web'] },
  { name: 'inner', instances: ['lb-3'], backends: ['edge'] },
]
/** Faults of the plain world know the first instance alone, and have none of what people can do by a runtime API. */
const NOTHING: BalancerKind = { name: 'none', instances: ['lb-1'], backends: [] }
const AGENTS_ALONE: readonly BalancerKind[] = [
  NOTHING,
  { name: 'by-checks', instances: ['lb-2'], backends: ['web'], by: 'agents' },
]
const AGENTS_BESIDE: readonly BalancerKind[] = [
  ...ONE,
  { name: 'by-checks', instances: ['lb-2'], backends: ['web'], by: 'agents' },
]
export type Layouts = readonly [readonly BalancerKind[], ...(readonly BalancerKind[])[]]
const LAYOUTS: Layouts = [ONE, ONE, PAIR, PAIR, TWO, PAIR_AND_INNER, AGENTS_ALONE, AGENTS_BESIDE]

const moved = (by: 'mark' | 'detacher' | 'commands'): BalancerKind => ({
  // What commands move has the name of its instance.
  name: by === 'commands' ? 'lb-2' : `by-${by}`,
  instances: ['lb-2'],
  backends: ['web'],
  by,
})

/** A balancer of each kind that no other world has: alone, or beside one with a runtime API. */
export const OTHER_WAYS: Layouts = [
  [NOTHING, moved('mark')],
  [NOTHING, moved('detacher')],
  [NOTHING, moved('commands')],
  [...ONE, moved('mark')],
  [...ONE, moved('detacher')],
  [...ONE, moved('commands')],
]

/** One instance and nothing else: the world of the seeds below 1,000,000. */
export const PLAIN_WORLD: WorldKind = { balancers: ONE, faults: [] }

/** Everything about a world that differs from the plain one, and the faults that only such a world knows. */
export function worldKindOf(random: SeededRandom, facts: WorldFacts): WorldKind {
  const balancers = oneOf(random, facts.layouts ?? LAYOUTS)
  // What a roll cannot see, it cannot heed.
  const isAllSeen = balancers.every(({ by }) => by === undefined)
  const control = oneOf(random, CONTROLS)
  const servers = serversOf(random.fork('servers'), balancers)
  const hasLongRequests = random.fork('long').next() < 0.25
  const agents = agentsOf(random.fork('agents'), balancers)
  const uneven = isAllSeen ? unevenOf(random.fork('uneven'), facts) : undefined
  const pods = podsKindOf(random.fork('pods'), facts.names.length)
  return {
    balancers,
    ...(servers === undefined ? {} : { servers }),
    ...(agents === undefined ? {} : { agents }),
    ...(uneven === undefined ? {} : { uneven }),
    ...(hasLongRequests ? { hasLongRequests } : {}),
    ...(control === undefined ? {} : { control }),
    ...(pods === undefined ? {} : { pods }),
    faults: [
      ...instanceFaults(random.fork('instances'), balancers, facts),
      ...outages(random.fork('outages'), balancers, facts),
      ...(isAllSeen ? weightFaults(random.fork('weights'), balancers, facts) : []),
      ...(agents === undefined ? [] : agentFaults(random.fork('agent faults'), facts)),
      ...(balancers.some(({ by }) => by === 'detacher') ? detacherFaults(random.fork('detacher'), facts) : []),
      ...(control === undefined ? [] : controlFaults(random.fork('control'), facts)),
      ...(pods?.isStacked === undefined ? [] : memberFaults(random.fork('members'), facts)),
      ...(pods?.pulls === undefined ? [] : registryFaults(random.fork('registry'), facts)),
    ],
  }
}

const LONGEST_UPGRADE_MS = 25_000

function memberFaults(random: SeededRandom, { names, healAtMs }: WorldFacts): readonly WorldFault[] {
  return Array.from({ length: random.below(3) }, (): WorldFault => {
    const fromMs = random.between(0, healAtMs)
    const toMs = Math.min(healAtMs, fromMs + random.between(5_000, LONGEST_UPGRADE_MS))
    return { kind: 'memberAway', node: names[random.below(names.length)] ?? 'n1', fromMs, toMs }
  })
}

const LONGEST_WITHOUT_REGISTRY_MS = 15_000

function registryFaults(random: SeededRandom, { healAtMs }: WorldFacts): readonly WorldFault[] {
  return Array.from({ length: 1 + random.below(2) }, (): WorldFault => {
    const fromMs = random.between(0, healAtMs)
    const toMs = Math.min(healAtMs, fromMs + random.between(1_000, LONGEST_WITHOUT_REGISTRY_MS))
    return { kind: 'registryAway', fromMs, toMs }
  })
}

const CONTROLS: readonly [undefined, ...(ControlState | undefined)[]] = [
  ...([undefined, undefined, 'well', 'well', 'well'] as const),
  ...(['refused', 'silent'] as const),
]

function agentsOf(random: SeededRandom, balancers: readonly BalancerKind[]): WorldKind['agents'] {
  if (!balancers.some(({ by }) => by === 'agents')) return undefined
  return { countsConnections: random.next() < 0.5, declaresCheckers: random.next() < 0.5 }
}

const AGENT_TROUBLES = ['killed', 'silent', 'slow', 'restarted'] as const

function agentFaults(random: SeededRandom, { names, healAtMs }: WorldFacts): readonly WorldFault[] {
  return Array.from({ length: random.below(3) }, (): WorldFault => {
    const node = names[random.below(names.length)] ?? 'n1'
    const fromMs = random.between(0, healAtMs)
    const how = oneOf(random, AGENT_TROUBLES)
    if (how === 'restarted') return { kind: 'agentRestarted', node, atMs: fromMs }
    return { kind: 'agent', node, how, fromMs, toMs: Math.min(healAtMs, fromMs + random.between(300, 12_000)) }
  })
}

const LONGEST_WITHOUT_DETACHER_MS = 12_000

function detacherFaults(random: SeededRandom, { healAtMs }: WorldFacts): readonly WorldFault[] {
  return Array.from({ length: random.below(3) }, (): WorldFault => {
    const fromMs = random.between(0, healAtMs)
    return {
      kind: 'detacherAway',
      fromMs,
      toMs: Math.min(healAtMs, fromMs + random.between(1_000, LONGEST_WITHOUT_DETACHER_MS)),
    }
  })
}

/** Only a backend of the same instance can be tracked. */
function serversOf(random: SeededRandom, [first]: readonly BalancerKind[]): WorldKind['servers'] {
  const die = random.next()
  if (die < 0.25) return 'cookies'
  return die < 0.4 && first?.backends.includes('edge') === true ? 'track' : undefined
}

/** A backup leaves two others to be rolled. */
const LEAST_BESIDE_BACKUP = 3

function unevenOf(random: SeededRandom, { names }: WorldFacts): WorldKind['uneven'] {
  const hasBackup = random.next() < 0.4 && names.length >= LEAST_BESIDE_BACKUP
  // Where few are left to carry, the next one waits for those that warm up.
  const slowStartMs = random.next() < (hasBackup ? 0.8 : 0.35) ? 1_000 * (1 + random.below(8)) : undefined
  const backup = hasBackup ? names[random.below(names.length)] : undefined
  return slowStartMs === undefined && backup === undefined ? undefined : present({ slowStartMs, backup })
}

/** Now and then people take the weight of a server for a while. */
function weightFaults(
  random: SeededRandom,
  balancers: readonly BalancerKind[],
  { names, healAtMs }: WorldFacts,
): readonly WorldFault[] {
  const { instances: [instance] = [], backends: [backend] = [] } = balancers[0] ?? {}
  const node = names[random.below(names.length)]
  if (random.next() >= 0.3 || instance === undefined || backend === undefined || node === undefined) return []
  const fromMs = random.next() < 0.5 ? 0 : random.between(0, healAtMs)
  const toMs = Math.min(healAtMs, fromMs + random.between(2_000, 20_000))
  return [{ kind: 'weightless', instance, server: `${backend}/${node}`, fromMs, toMs }]
}

const LONGEST_OUTAGE_MS = 5_000

/** Now and then every server is taken for a while, behind one instance. */
function outages(
  random: SeededRandom,
  balancers: readonly BalancerKind[],
  { healAtMs }: WorldFacts,
): readonly WorldFault[] {
  const [instance, backend] = [balancers[0]?.instances[0], balancers[0]?.backends[0]]
  if (random.next() >= 0.15 || instance === undefined || backend === undefined) return []
  const fromMs = random.between(0, healAtMs)
  const toMs = Math.min(healAtMs, fromMs + random.between(500, LONGEST_OUTAGE_MS))
  return [{ kind: 'outage', instance, backend, fromMs, toMs }]
}

function controlFaults(random: SeededRandom, { healAtMs }: WorldFacts): readonly WorldFault[] {
  return Array.from({ length: random.below(3) }, (): WorldFault => {
    const fromMs = random.between(0, healAtMs)
    const toMs = Math.min(healAtMs, fromMs + random.between(500, 8_000))
    if (random.next() < 0.4) return { kind: 'proberCutOff', fromMs, toMs }
    return { kind: 'controlFails', how: oneOf(random, ['refused', 'silent', 'status']), fromMs, toMs }
  })
}

const oneOf = <T>(random: SeededRandom, of: readonly [T, ...T[]]): T => of[random.below(of.length)] ?? of[0]

const LONGEST_SILENCE_MS = 8_000

/** Up to two, each of one instance. */
function instanceFaults(
  random: SeededRandom,
  balancers: readonly BalancerKind[],
  { names, healAtMs }: WorldFacts,
): readonly WorldFault[] {
  const isAnswering = ({ by }: BalancerKind): boolean => by === undefined || by === 'commands'
  const answering = balancers.filter((one) => isAnswering(one) && one.backends.length > 0)
  const places = answering.flatMap(({ instances, backends }) => instances.map((instance) => ({ instance, backends })))
  const [first, ...more] = places
  if (first === undefined || more.length === 0) return []
  return Array.from({ length: random.below(3) }, (): WorldFault => {
    const { instance, backends } = oneOf(random, [first, ...more])
    const atMs = random.between(0, healAtMs)
    switch (random.below(4)) {
      case 0:
        return {
          kind: 'instanceSilent',
          instance,
          fromMs: atMs,
          toMs: Math.min(healAtMs, atMs + random.between(500, LONGEST_SILENCE_MS)),
        }
      case 1: {
        const server = `${backends[random.below(backends.length)] ?? 'web'}/${names[random.below(names.length)] ?? 'n1'}`
        return { kind: 'instanceByHand', instance, atMs, server, to: oneOf(random, ['ready', 'maint', 'drain']) }
      }
      default:
        return { kind: 'instanceReload', instance, atMs, keepsStates: random.next() < 0.3 }
    }
  })
}
