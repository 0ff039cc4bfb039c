import { present } from '../../../src/ground/model/present.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { type PodsKind, podsKindOf } from '../virtual-roll/swarm/pods-kind.ts'

/** What the API does for a while to a share of the requests of the controller. */
interface ApiTrouble {
  readonly what: 'slow' | 'unheard' | 'away' | 'errors' | 'conflicts'
  readonly fromMs: number
  readonly toMs: number
  readonly share: number
}

/** What a person does meanwhile. */
export type Deed = { readonly atMs: number; readonly node: string } & (
  | { readonly kind: 'drain'; readonly forMs: number }
  | { readonly kind: 'cordon'; readonly forMs: number }
  /** By a claim, as `kubectl annotate` makes it. */
  | { readonly kind: 'claim'; readonly forMs: number }
  | { readonly kind: 'restartAgent' }
  /** What the controller has written on the Deployment of the node is removed. */
  | { readonly kind: 'unmark' }
)

/** Nothing but a detacher of another project moves the load balancer. */
interface DetacherScenario {
  readonly manner: 'prompt' | 'slow' | 'ahead'
  readonly keepsStamps: boolean
  /** It does nothing then. */
  readonly away: { readonly atMs: number; readonly forMs: number }
}

export interface IngressScenario {
  readonly seed: string
  readonly nodes: number
  readonly podsPerNode: number
  readonly inPlace: boolean
  /** Of the object. */
  readonly maxNodes: number
  /** `maxOut` of the budget object. Undefined: there is no budget object, so one node may be out. */
  readonly maxOut?: number
  readonly graceMs: number
  readonly detacher?: DetacherScenario
  readonly attachGraceS: number
  /** What its pods wait for. */
  readonly pods?: Pick<PodsKind, 'initSeconds' | 'besideSeconds' | 'gateMs'>
  /** What keeps the pods of the first new version from being Ready; the next version has it no more. */
  readonly stuckBy?: 'image' | 'init' | 'gate'
  /** When which version is applied, the last of which is to be everywhere in the end. */
  readonly versions: readonly { readonly atMs: number; readonly version: string }[]
  readonly api: readonly ApiTrouble[]
  readonly apiRestarts: readonly { readonly atMs: number; readonly forMs: number }[]
  readonly deeds: readonly Deed[]
  /** How many processes are killed, each at one of its writes. */
  readonly deaths: number
  /** The object is deleted then, in the midst of what it does. */
  readonly deletedAtMs?: number
  /** The slots cannot be read then, and the process that knows which ones are held dies by its next write. */
  readonly slotsUnread?: { readonly fromMs: number; readonly toMs: number }
  /** From then on nothing is killed or in trouble, and persons have finished. */
  readonly healAtMs: number
}

const HEAL_MS = 90_000
const MANNERS = ['prompt', 'slow', 'ahead'] as const
const KINDS = ['slow', 'unheard', 'away', 'errors', 'conflicts'] as const
const DEEDS = ['drain', 'cordon', 'claim', 'restartAgent', 'unmark'] as const

/** Of its own chance, so that what is drawn for all others stays what it was. */
function detacherOf(seed: string): Pick<IngressScenario, 'detacher'> {
  const random = new SeededRandom(`detacher ${seed}`)
  if (random.next() >= 0.25) return {}
  return {
    detacher: {
      manner: MANNERS[random.below(MANNERS.length)] ?? 'prompt',
      keepsStamps: random.next() < 0.5,
      away: { atMs: random.between(0, 60_000), forMs: random.next() < 0.5 ? 0 : random.between(1_000, 30_000) },
    },
  }
}

/** About when the object is deleted: the finalizer must stay until the slots are given back. Of its own chance, too. */
function slotsUnreadOf(seed: string, deletedAtMs: number | undefined): Pick<IngressScenario, 'slotsUnread'> {
  const random = new SeededRandom(`slots unread ${seed}`)
  if (deletedAtMs === undefined || random.next() >= 0.5) return {}
  const fromMs = Math.max(0, deletedAtMs - random.between(0, 3_000))
  return { slotsUnread: { fromMs, toMs: fromMs + random.between(15_000, 40_000) } }
}

const STUCK_BY = ['image', 'init', 'gate'] as const

/** Of its own chance, too. */
function podsOf(seed: string, versions: number): Pick<IngressScenario, 'pods' | 'stuckBy'> {
  const random = new SeededRandom(`pods of ingress ${seed}`)
  const { initSeconds, besideSeconds, gateMs } = podsKindOf(random, 0) ?? {}
  const stuckBy = versions > 1 && random.next() < 0.3 ? STUCK_BY[random.below(STUCK_BY.length)] : undefined
  return { pods: present({ initSeconds, besideSeconds, gateMs }), ...present({ stuckBy }) }
}

/** The same for the same seed. */
export function ingressScenario(seed: string): IngressScenario {
  const drawn = drawnBy(seed)
  return { ...drawn, ...slotsUnreadOf(seed, drawn.deletedAtMs), ...podsOf(seed, drawn.versions.length) }
}

function drawnBy(seed: string): IngressScenario {
  const random = new SeededRandom(`ingress ${seed}`)
  const nodes = 2 + random.below(4)
  const maxOut = random.next() < 0.5 ? undefined : 1 + random.below(2)
  const changes = 1 + random.below(3)
  const isDeleted = random.next() < 0.15
  const podsPerNode = 1 + random.below(3)
  const inPlace = random.next() < 0.3
  return {
    seed,
    nodes,
    podsPerNode,
    inPlace,
    maxNodes: 1 + random.below(2),
    ...(maxOut === undefined ? {} : { maxOut }),
    ...(inPlace ? {} : detacherOf(seed)),
    graceMs: 1_000 * (6 + random.below(4)),
    attachGraceS: 4 + random.below(3),
    versions: Array.from({ length: changes }, (_, i) => ({
      atMs: i === 0 ? 500 : Math.round(random.between(1_000, 60_000)),
      version: `v${i + 2}`,
    })).toSorted((one, other) => one.atMs - other.atMs),
    api: Array.from({ length: random.below(3) }, () => {
      const fromMs = random.between(0, HEAL_MS)
      return {
        what: KINDS[random.below(KINDS.length)] ?? 'slow',
        fromMs,
        toMs: fromMs + random.between(1_000, 20_000),
        share: random.next() < 0.3 ? 1 : random.between(0.1, 0.7),
      }
    }),
    apiRestarts: Array.from({ length: random.next() < 0.3 ? 1 : 0 }, () => ({
      atMs: random.between(0, HEAL_MS - 30_000),
      forMs: random.between(500, 20_000),
    })),
    deeds: Array.from({ length: random.below(4) }, (): Deed => {
      const kind = DEEDS[random.below(DEEDS.length)] ?? 'cordon'
      const at = { atMs: random.between(0, 60_000), node: `n${1 + random.below(nodes)}` }
      const forMs = random.between(2_000, 30_000)
      return kind === 'restartAgent' || kind === 'unmark' ? { kind, ...at } : { kind, ...at, forMs }
    }),
    deaths: random.next() < 0.3 ? 0 : 1 + random.below(8),
    ...(isDeleted ? { deletedAtMs: random.between(2_000, 60_000) } : {}),
    healAtMs: HEAL_MS,
  }
}
