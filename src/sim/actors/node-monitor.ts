import type { ApiObject } from '../world/api-object.ts'
import { LEASES, NODES, PODS } from '../world/api-resource.ts'
import type { Change } from '../world/store.ts'
import { stampOf, type World } from '../world/world.ts'
import { evictionPaceMs, USUAL_EVICTION_PACE_MS } from './eviction-pace.ts'
import { type NodeObject, readiness } from './node-object.ts'
import { isEvicting, mendedTaints, withoutEvictingTaints, withTaints } from './node-taints.ts'
import { podIndexOf } from './pod-index.ts'
import type { Condition } from './pod-object.ts'
import type { ActorParts } from './run-reconciler.ts'
import { TaintQueue } from './taint-queue.ts'
import { withCondition } from './with-condition.ts'

export interface NodeTiming {
  /** How long a node may be silent (`--node-monitor-grace-period`). */
  readonly gracePeriodMs: number
  /** How often silent nodes are searched for (`--node-monitor-period`). */
  readonly monitorPeriodMs: number
}

/** The defaults of a controller manager. */
export const STANDARD_NODE_TIMING: NodeTiming = { gracePeriodMs: 50_000, monitorPeriodMs: 5_000 }
/** For clusters that have to notice a silent node within seconds. */
export const FAST_NODE_TIMING: NodeTiming = { gracePeriodMs: 10_000, monitorPeriodMs: 1_000 }

const LEASE_NAMESPACE = 'kube-node-lease'
/** The conditions that a kubelet reports of its node. They are unknown once the kubelet is silent. */
const REPORTED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/**
 * Checks all nodes regularly. A node whose Lease was not renewed for the grace period is Unknown, its pods are not ready, and
 * pods that do not tolerate it are evicted; once it is back, that ends. While no node is heard, the monitor blames the network
 * and evicts no pod (node_lifecycle_controller.go, monitorNodeHealth, handleDisruption). The returned function ends it.
 */
export function runNodeMonitor(parts: ActorParts, timing: NodeTiming = STANDARD_NODE_TIMING): () => void {
  const { world, timers } = parts
  const watch = new NodeWatch(parts, timing)
  const ends = [
    world.store.subscribe(LEASES, (change) => watch.leaseChanged(change)),
    world.store.subscribe(NODES, (change) => watch.nodeChanged(change)),
    () => watch.end(),
  ]
  let callOff = (): void => undefined
  const check = (): void => {
    watch.check()
    callOff = timers.later(timing.monitorPeriodMs, check)
  }
  callOff = timers.later(timing.monitorPeriodMs, check)
  return () => {
    for (const end of ends) end()
    callOff()
  }
}

class NodeWatch {
  readonly #world: World
  readonly #timing: NodeTiming
  /** The number of the check at which each node was last heard: its silence is counted in checks. */
  readonly #heardAt = new Map<string, number>()
  readonly #changed = new Set<string>()
  readonly #toTaint: TaintQueue
  /** Nodes whose pods were marked, until they are ready again. */
  readonly #down = new Set<string>()
  #checks = 0
  #isNoneHeard = false

  constructor({ world, timers }: ActorParts, timing: NodeTiming) {
    this.#world = world
    this.#timing = timing
    this.#toTaint = new TaintQueue(timers, USUAL_EVICTION_PACE_MS, (name) => this.#taint(name))
    for (const { metadata } of world.store.all(NODES)) this.#hear(metadata.name)
  }

  leaseChanged({ type, object, previous }: Change): void {
    const { namespace, name } = object.metadata
    if (namespace !== LEASE_NAMESPACE || type === 'DELETED' || !this.#heardAt.has(name)) return
    if (previous === undefined || renewedAt(object) !== renewedAt(previous)) this.#heardAt.set(name, this.#checks + 1)
  }

  nodeChanged({ type, object, previous }: Change): void {
    const { name } = object.metadata
    if (type === 'DELETED') {
      for (const known of [this.#heardAt, this.#changed, this.#toTaint, this.#down]) known.delete(name)
      return
    }
    if (previous === undefined) {
      this.#hear(name)
      return
    }
    const [now, before] = [object as NodeObject, previous as NodeObject]
    if (readiness(now) !== 'Unknown' && reportedAt(now) !== reportedAt(before))
      this.#heardAt.set(name, this.#checks + 1)
    if (now.spec !== before.spec || readiness(now) !== readiness(before)) this.#changed.add(name)
  }

  check(): void {
    this.#checks += 1
    for (const [name, at] of this.#heardAt) {
      if ((this.#checks - at) * this.#timing.monitorPeriodMs >= this.#timing.gracePeriodMs) this.#giveUp(name)
    }
    for (const name of [...this.#changed]) {
      const node = this.#nodeNamed(name)
      if (node !== undefined) this.#settle(node)
    }
    this.#changed.clear()
    this.#pace()
  }

  end(): void {
    this.#toTaint.end()
  }

  /**
   * The pace by the number of nodes that are heard; when the last one falls silent, all count as reachable until the first is
   * back.
   */
  #pace(): void {
    const nodes = [...this.#world.store.all(NODES)] as NodeObject[]
    const ready = nodes.filter((node) => readiness(node) === 'True').length
    this.#toTaint.setPace(evictionPaceMs({ ready, notReady: nodes.length - ready }))
    const wasNoneHeard = this.#isNoneHeard
    this.#isNoneHeard = ready === 0 && nodes.length > 0
    if (wasNoneHeard === this.#isNoneHeard) return
    for (const node of nodes) {
      if (this.#isNoneHeard) this.#reach(node)
      else this.#heardAt.set(node.metadata.name, Math.max(this.#checks, this.#heardAt.get(node.metadata.name) ?? 0))
      this.#changed.add(node.metadata.name)
    }
  }

  #taint(name: string): void {
    const node = this.#nodeNamed(name)
    const taints = node && mendedTaints(node, 'NoExecute', this.#now())
    if (node !== undefined && taints !== undefined) this.#world.store.put(NODES, withTaints(node, taints))
  }

  #reach(node: NodeObject): void {
    this.#toTaint.delete(node.metadata.name)
    const without = withoutEvictingTaints(node)
    if (without !== node) this.#world.store.put(NODES, without)
  }

  #hear(name: string): void {
    this.#heardAt.set(name, this.#checks + 1)
    this.#changed.add(name)
  }

  #nodeNamed(name: string): NodeObject | undefined {
    return this.#world.store.get(NODES, { name }) as NodeObject | undefined
  }

  #now(): string {
    return stampOf(this.#world.clock.wallMs())
  }

  #giveUp(name: string): void {
    const node = this.#nodeNamed(name)
    if (node === undefined || readiness(node) === 'Unknown') return
    let conditions: readonly Condition[] = node.status?.conditions ?? []
    for (const type of REPORTED) {
      const isKnown = conditions.some((condition) => condition.type === type)
      const unknown = isKnown
        ? { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
        : { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' }
      const before = conditions.find((condition) => condition.type === type)
      const next = { ...before, type, status: 'Unknown' as const, ...unknown, lastTransitionTime: this.#now() }
      conditions = withCondition(conditions, next)
    }
    this.#world.store.put(NODES, { ...node, status: { ...node.status, conditions } })
  }

  #settle(node: NodeObject): void {
    const { name } = node.metadata
    const ready = readiness(node)
    if (ready === undefined) return
    if (ready === 'True') {
      this.#down.delete(name)
      this.#reach(node)
      return
    }
    if (!this.#down.has(name)) {
      this.#down.add(name)
      markPodsNotReady(this.#world, name, this.#now())
    }
    // A node that is heard but not ready, or falls silent again, gets the other taint at once.
    if (isEvicting(node)) this.#taint(name)
    else this.#toTaint.add(name)
  }
}

const renewedAt = ({ spec }: ApiObject): unknown => (spec as { readonly renewTime?: string } | undefined)?.renewTime

function reportedAt({ status }: NodeObject): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return ready && `${ready.status} ${ready.lastHeartbeatTime ?? ''}`
}

/** controller/util/node/controller_utils.go, MarkPodsNotReady. */
function markPodsNotReady(world: World, node: string, now: string): void {
  for (const pod of podIndexOf(world).onNode(node)) {
    const conditions = pod.status?.conditions?.map((condition) =>
      condition.type === 'Ready' && condition.status !== 'False'
        ? { ...condition, status: 'False' as const, lastTransitionTime: now }
        : condition,
    )
    const isMarked = conditions?.some((condition, i) => condition !== pod.status?.conditions?.[i]) === true
    if (isMarked) world.store.put(PODS, { ...pod, status: { ...pod.status, conditions } })
  }
}
