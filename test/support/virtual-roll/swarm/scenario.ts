import { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import type { Cue } from './cue.ts'
import { type Fault, lastOf } from './fault.ts'
import type { FileWishes } from './file-draw.ts'
import { randomFaults } from './random-faults.ts'
import { amendsOf, cordonedBefore, cuesOf, FIRST_BY_STEP } from './scenario-by-step.ts'
import { DRAIN } from './seed-roll-file.ts'
import { type Layouts, PLAIN_WORLD, type WorldKind, worldKindOf } from './world-kind.ts'
import { worldSpec } from './world-spec.ts'

/** All that a seed says. */
export interface Scenario {
  readonly seed: string
  readonly nodes: number
  readonly darkMs: number
  readonly whoami: { readonly replicas: number; readonly graceSeconds: number; readonly startSeconds: number }
  readonly databases: number
  /** Nodes that were cordoned, and servers that were in maint, before any roll. */
  readonly cordoned: readonly string[]
  readonly maint: readonly string[]
  readonly drainsEdge: boolean
  /** Of the roll file, over what all have. */
  readonly spec: Readonly<Record<string, unknown>>
  readonly world: WorldKind
  readonly faults: readonly Fault[]
  /** What steps bring about. */
  readonly cues: readonly Cue[]
  /** What the file of `resume -f` says otherwise. */
  readonly amends: Readonly<Record<string, unknown>>
  /** Everything heals then. */
  readonly healAtMs: number
  /** A second operator rolls this node, from then on as soon as the plan allows it. */
  readonly second: { readonly atMs: number; readonly node: string } | undefined
  /** After how many processes the roll is aborted; undefined: never. */
  readonly abortAfter: number | undefined
  /** `whoami` exits at once, and its pods leave politely; a budget of it allows no eviction. Absent: it takes its grace. */
  readonly polite?: { readonly hasBudget: boolean }
  /** The fields of its roll file are drawn. Absent: it has those that all have. */
  readonly file?: FileWishes
}

export const nodeNames = (nodes: number): readonly string[] => Array.from({ length: nodes }, (_, i) => `n${i + 1}`)

/** Small ones are many, since they are fast and have the fewest ways out. */
const MORE_NODES = [0, 0, 0, 1, 1, 1, 2, 4]

/** `layouts`: one of which the world has; absent: one of those that all seeds have. */
export function scenarioOf(seed: string, layouts?: Layouts): Scenario {
  const number = Number(seed)
  const drawn = drawnByTime(seed, layouts)
  return number >= FIRST_BY_STEP ? drawnByStep(drawn, number) : drawn
}

/** What the seed says, over pods that leave politely: as long as a request may take they serve on. */
export function politeScenarioOf(seed: string): Scenario {
  const drawn = scenarioOf(seed)
  const random = new SeededRandom(`polite ${seed}`)
  const isAlone = random.next() < 0.3
  const hasBudget = random.next() < 0.5
  const leaveAfter = drawn.world.hasLongRequests === true ? '10s' : '3s'
  const polite = [{ selector: 'app=whoami', leaveAfter }]
  return {
    ...drawn,
    whoami: { ...drawn.whoami, ...(isAlone ? { replicas: 1 } : {}) },
    spec: { ...drawn.spec, drain: { ...DRAIN, ...(drawn.spec.drain as object | undefined), polite } },
    polite: { hasBudget },
  }
}

/** The cluster and the roll of the older generation, with faults that steps bring about; now and then with its own beside. */
function drawnByStep(drawn: Scenario, number: number): Scenario {
  const random = new SeededRandom(`swarm by step ${drawn.seed}`)
  // To an agent a cordon is a word to leave: a node that people cordon is kept out until they uncordon it. Where room is tight, a pod may
  // have no other node to come back to.
  const { agents, pods } = drawn.world
  const mayHappen = ({ kind }: Fault): boolean =>
    (agents === undefined && pods?.tight === undefined) || kind !== 'cordon'
  const cues = cuesOf(random, number).map((cue) => ({ ...cue, faults: cue.faults.filter(mayHappen) }))
  const faults = random.next() < 0.25 ? drawn.faults.slice(0, 1) : []
  const healAtMs = Math.max(10_000, ...faults.map(lastOf))
  const second = random.next() < 0.5 ? drawn.second : undefined
  const cordoned = cordonedBefore(number, drawn.cordoned)
  // A node that is cordoned leaves two for the pods of another.
  const nodes = cordoned.length > 0 ? Math.max(3, drawn.nodes) : drawn.nodes
  const amends = amendsOf(random, nodeNames(drawn.nodes))
  const world = cordoned.length + drawn.maint.length === 0 ? drawn.world : withoutBackup(drawn.world)
  return { ...drawn, nodes, cordoned, faults, cues, healAtMs, second, amends, world }
}

/** With a server in maint and another one that is a backup, too few may be left to roll any. */
const withoutBackup = (world: WorldKind): WorldKind => {
  const { backup: _, ...uneven } = world.uneven ?? {}
  return { ...world, uneven }
}

function drawnByTime(seed: string, layouts: Layouts | undefined): Scenario {
  const random = new SeededRandom(`swarm ${seed}`)
  const chance = (share: number): boolean => random.next() < share
  const nodes = 2 + (MORE_NODES[random.below(MORE_NODES.length)] ?? 0)
  const names = nodeNames(nodes)
  const oneOf = (of: readonly string[]): string => of[random.below(of.length)] ?? ''
  const faultsUntilMs = random.between(10_000, 45_000)
  const faults = randomFaults(random.fork('faults'), { names, healAtMs: faultsUntilMs })
  const healAtMs = Math.max(faultsUntilMs, ...faults.map(lastOf))
  const world = worldOf(seed, random.fork('world'), { names, healAtMs, layouts })
  const beside = random.fork('second')
  const maint = nodes > 2 && chance(0.2) ? [`${inMaint(world, oneOf(['web', 'edge']))}/${oneOf(names)}`] : []
  const drainsEdge = chance(0.7)
  return {
    seed,
    nodes,
    darkMs: random.between(200, 2_000),
    whoami: {
      replicas: 2 + random.below(3),
      graceSeconds: 2 + random.below(2),
      startSeconds: chance(0.2) ? 1 + random.below(4) : 0,
    },
    databases: random.below(3),
    cordoned: nodes > 2 && chance(0.25) ? [oneOf(names)] : [],
    maint,
    drainsEdge,
    spec: {
      nodes: chance(0.5) ? { all: true } : { names: names.slice(0, 1 + random.below(2)) },
      soak: chance(0.5) ? '1s' : '2s',
      ...(drainsEdge ? {} : { drain: { daemonSets: [], blockedLimit: '20s', stageLimit: '30s' } }),
      ...worldSpec(world, drainsEdge),
    },
    world,
    faults,
    cues: [],
    amends: {},
    healAtMs,
    second: chance(0.12) ? { atMs: secondAtMs(beside, healAtMs), node: oneOf(names) } : undefined,
    abortAfter: chance(0.1) ? 1 + random.below(2) : undefined,
  }
}

/**
 * A server that others track takes them out with it. Its node would be out of every balancer for good, and with the node
 * budget used up by it a roll rightly takes no other node.
 */
const inMaint = ({ servers }: WorldKind, backend: string): string => (servers === 'track' ? 'edge' : backend)

const worldOf = (seed: string, ...drawn: Parameters<typeof worldKindOf>): WorldKind =>
  Number(seed) >= FIRST_BY_STEP ? worldKindOf(...drawn) : PLAIN_WORLD

/** Soon, so that both want the slot; or at any time. */
const secondAtMs = (random: SeededRandom, healAtMs: number): number =>
  random.next() < 0.5 ? random.between(0, 900) : random.between(0, healAtMs)
