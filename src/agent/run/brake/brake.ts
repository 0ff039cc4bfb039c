import { FollowCache, type Freshness } from '../../../ground/loop/follow-cache.ts'
import type { Leader } from '../../../ground/loop/leader.ts'
import { mapAtOnce } from '../../../ground/loop/map-at-once.ts'
import { RepeatedActs } from '../../../ground/loop/owned/repeated-acts.ts'
import { type LoopStatus, Reconciler } from '../../../ground/loop/reconciler.ts'
import type { ConfigMap } from '../../../ground/model/config-map.ts'
import type { OutLimit } from '../../../ground/model/out-limit.ts'
import { present } from '../../../ground/model/present.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { ConfigMaps } from '../../../ground/ports/config-maps.ts'
import type { Log } from '../../../ground/ports/log.ts'
import type { ObjectNotices } from '../../../ground/ports/object-notices.ts'
import type { Random } from '../../../ground/ports/random.ts'
import type { NodeOut } from '../../../service/decide/budget/snapshot.ts'
import { type CordonGrants, GRANTS_CONFIG_MAP } from '../../../service/model/cordon-grants.ts'
import { type BrakeAction, type BrakeDecision, decideBrake } from '../../decide/brake/decide.ts'
import { NOTHING_SEEN, observe } from '../../decide/brake/observe.ts'
import { fleetOut } from '../../decide/brake/out-by-itself.ts'
import type { BrakeMemory, BrakeSnapshot } from '../../decide/brake/snapshot.ts'
import type { FleetNode } from '../../model/fleet-node.ts'
import type { NodeNotice } from '../../model/node-notice.ts'
import type { Fleet } from '../../ports/fleet.ts'
import { publishedBy, withGrants } from './grants-object.ts'

interface BrakeParts {
  readonly fleet: Fleet
  readonly configMaps: ConfigMaps
  readonly notices: ObjectNotices
  readonly leader: Pick<Leader, 'mayActForMs'>
  /** The identity of this process in the Lease. */
  readonly identity: string
  /** The namespace in which the agents look. */
  readonly namespace: string
  readonly limit: OutLimit
  readonly returnMs: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export interface BrakeStatus {
  readonly loop: LoopStatus
  readonly nodes: {
    readonly known: number
    readonly cordoned: number
    readonly synced: boolean
    readonly unheardForMs: number
  }
  /** The grants that were read last; absent where there are none, and in a process that does not lead. */
  readonly grants?: CordonGrants
  /** All nodes that are out, for any reason. */
  readonly out: readonly NodeOut[]
  readonly decision: BrakeDecision['kind'] | 'standby'
  readonly reasons: readonly Reason[]
}

/** One brake for the fleet: one key. */
const KEY = 'brake'
/** An operator may have changed the grants by hand, or removed them. */
const SWEEP_MS = 5_000
/** Hundreds of grants may end at once. One read after the other would take longer than an effect may, each time. */
const READ_AT_ONCE = 32

/** Grants to the agents of a fleet which nodes may leave their balancers for a cordon. */
export class Brake {
  readonly #parts: BrakeParts
  readonly #nodes: FollowCache<FleetNode>
  readonly #reconciler: Reconciler<BrakeSnapshot, BrakeAction>
  readonly #repeated: RepeatedActs
  #memory: BrakeMemory = NOTHING_SEEN
  #found: ConfigMap | undefined
  #decision: BrakeDecision | undefined

  constructor(parts: BrakeParts) {
    const { fleet, clock } = parts
    this.#parts = parts
    this.#repeated = new RepeatedActs(clock)
    this.#nodes = new FollowCache({
      follow: (sink, signal) => fleet.follow(sink, signal),
      clock,
      onChange: () => this.#nodesChanged(),
      isSame: (before, now) => !isNews(before, now),
    })
    this.#reconciler = new Reconciler({
      ...parts,
      sweepMs: SWEEP_MS,
      loop: {
        name: 'brake',
        gather: (_key, signal) => this.#gather(signal),
        decide: (snapshot) => this.#repeated.paced(KEY, decideBrake(snapshot), actOf),
        perform: async (action, signal) => {
          await this.#perform(action, signal)
          this.#repeated.done(KEY, actOf(action))
        },
        decided: (_key, decision) => this.#decided(decision),
      },
    })
  }

  /** Follows and works until aborted, then rejects with the signal's reason; once stopped, it only follows. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#nodes.run(signal), this.#reconciler.run(signal)])
  }

  /** Begins no more work, and resolves when all work under way has ended. */
  stop(): Promise<void> {
    return this.#reconciler.stop()
  }

  /** This process leads now, or something changed that no watch shows. */
  wake(): void {
    this.#reconciler.add(KEY)
  }

  status(): BrakeStatus {
    const { synced, brokenSince } = this.#nodes.freshness()
    const now = this.#parts.clock.monoMs()
    const grants = publishedBy(this.#found)?.grants
    return {
      loop: this.#reconciler.status(),
      nodes: {
        known: this.#nodes.objects().length,
        cordoned: this.#memory.cordoned.size,
        synced,
        unheardForMs: brokenSince === undefined ? 0 : now - brokenSince,
      },
      ...present({ grants }),
      out: fleetOut(this.#nodes.objects(), {
        returning: new Set(this.#memory.returning.keys()),
        cordons: grants ?? 'unknown',
      }),
      decision: this.#decision?.kind ?? 'standby',
      reasons: this.#decision?.reasons ?? [],
    }
  }

  /** Processes that do not lead see it too, so that the order of waiting nodes survives a change of the leader. */
  #nodesChanged(): void {
    this.#observe([])
    this.#reconciler.add(KEY)
  }

  #observe(granted: readonly string[]): void {
    if (!this.#nodes.freshness().synced) return
    const { clock, returnMs } = this.#parts
    this.#memory = observe(this.#memory, { nodes: this.#nodes.objects(), granted, now: clock.monoMs(), returnMs })
  }

  async #gather(signal: AbortSignal): Promise<BrakeSnapshot> {
    const { configMaps, clock, identity, namespace, limit, returnMs } = this.#parts
    this.#found = await configMaps.read({ namespace, name: GRANTS_CONFIG_MAP }, signal)
    const published = publishedBy(this.#found)
    this.#observe(published?.grants?.granted ?? [])
    return {
      now: clock.monoMs(),
      self: identity,
      limit,
      returnMs,
      fleet: fleetOf(this.#nodes),
      memory: this.#memory,
      published,
    }
  }

  #decided(decision: BrakeDecision): void {
    const before = this.#decision
    this.#decision = decision
    const [first] = decision.reasons
    if (first === undefined || decision.kind === 'settled') return
    if (before?.kind === decision.kind && before.reasons[0]?.text === first.text) return
    this.#parts.log.warn(`brake: ${decision.kind}`, { reasons: decision.reasons.slice(0, 5).map(({ text }) => text) })
  }

  async #perform(action: BrakeAction, signal: AbortSignal): Promise<void> {
    if (action.kind === 'tell') return this.#tell(action.notice, signal)
    const { configMaps, namespace, identity } = this.#parts
    await mapAtOnce(action.dropped, READ_AT_ONCE, (name) => this.#checkDropped(name, signal))
    const wanted = withGrants(action, { namespace, self: identity, found: this.#found })
    this.#found = await configMaps.write(wanted, signal)
  }

  #tell({ node, uid, reason }: NodeNotice, signal: AbortSignal): Promise<void> {
    return this.#parts.notices.tell({ kind: 'Node', name: node, uid, type: 'Warning', reason }, signal)
  }

  /** Withdrawing a grant puts its node back in service: a watch that may be late is not enough for that. */
  async #checkDropped(name: string, signal: AbortSignal): Promise<void> {
    const node = await this.#parts.fleet.read(name, signal)
    if (node === undefined || !(node.unschedulable || node.unreadable)) return
    throw new WorldError(`${name} is cordoned, and the watch has not shown it yet`, {
      code: 'NODES_BEHIND',
      retry: 'backoff',
    })
  }
}

const actOf = (action: BrakeAction): string =>
  action.kind === 'tell' ? `tell ${action.notice.uid}` : `publish ${JSON.stringify([action.grants, action.announced])}`

function fleetOf(nodes: FollowCache<FleetNode>): BrakeSnapshot['fleet'] {
  const freshness: Freshness = nodes.freshness()
  if (freshness.brokenSince !== undefined) {
    return { kind: 'unknown', why: freshness.error?.message ?? 'they cannot be followed' }
  }
  if (!freshness.synced) return { kind: 'unknown', why: 'they were not listed yet' }
  return { kind: 'known', nodes: nodes.objects() }
}

const isNews = (before: FleetNode, now: FleetNode): boolean =>
  before.uid !== now.uid ||
  before.unschedulable !== now.unschedulable ||
  before.deleting !== now.deleting ||
  before.ready !== now.ready ||
  before.leaves !== now.leaves ||
  before.recorded !== now.recorded ||
  before.unreadable !== now.unreadable
