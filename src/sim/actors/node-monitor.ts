import type { ApiObject } from '../world/api-object.ts'
import { LEASES, NODES, PODS } from '../world/api-resource.ts'
import type { Change } from '../world/store.ts'
import { stampOf, type World } from '../world/world.ts'
import { type NodeObject, readiness } from './node-object.ts'
import { mendedTaints, withTaints } from './node-taints.ts'
import { podIndexOf } from './pod-index.ts'
import type { Condition } from './pod-object.ts'
import type { ActorParts } from './run-reconciler.ts'
import { withCondition } from './with-condition.ts'

export interface NodeTiming {
  /** How long a node may be silent (`--node-monitor-grace-period`). */
  readonly gracePeriodMs: number
  /** How often that is looked at (`--node-monitor-period`). */
  readonly monitorPeriodMs: number
}

/** What a controller manager does that is told nothing. */
export const STANDARD_NODE_TIMING: NodeTiming = { gracePeriodMs: 50_000, monitorPeriodMs: 5_000 }
/** For those who do not want to wait. */
export const FAST_NODE_TIMING: NodeTiming = { gracePeriodMs: 10_000, monitorPeriodMs: 1_000 }

/** Taints against pods that are there have a turn of their own (scheduler.NodeEvictionPeriod). */
const TAINT_PASS_MS = 100
const LEASE_NAMESPACE = 'kube-node-lease'
/** All that a kubelet says of its node, and nobody knows once it is silent. */
const REPORTED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/**
 * Looks at all nodes every so often: one whose Lease was not renewed for the grace period is Unknown, its pods are not
 * ready, and pods that cannot bear it are driven out; once it is back, that ends (node_lifecycle_controller.go,
 * monitorNodeHealth). The returned function ends it.
 */
export function runNodeMonitor({ world, timers }: ActorParts, timing: NodeTiming = STANDARD_NODE_TIMING): () => void {
  const watch = new NodeWatch(world, timing)
  const ends = [
    world.store.subscribe(LEASES, (change) => watch.leaseChanged(change)),
    world.store.subscribe(NODES, (change) => watch.nodeChanged(change)),
  ]
  let callOff = (): void => undefined
  let callOffTaints = (): void => undefined
  const look = (): void => {
    if (watch.look()) callOffTaints = timers.later(TAINT_PASS_MS, () => watch.taint())
    callOff = timers.later(timing.monitorPeriodMs, look)
  }
  callOff = timers.later(timing.monitorPeriodMs, look)
  return () => {
    for (const end of ends) end()
    callOff()
    callOffTaints()
  }
}

class NodeWatch {
  readonly #world: World
  readonly #timing: NodeTiming
  /** At which look each node was last heard of: looks are what its silence is counted in. */
  readonly #heardAt = new Map<string, number>()
  readonly #changed = new Set<string>()
  /** Whose taints against pods that are there may have to change. */
  readonly #toTaint = new Set<string>()
  /** Whose pods were marked, until it is ready again. */
  readonly #down = new Set<string>()
  #looks = 0

  constructor(world: World, timing: NodeTiming) {
    this.#world = world
    this.#timing = timing
    for (const { metadata } of world.store.all(NODES)) this.#hear(metadata.name)
  }

  leaseChanged({ type, object, previous }: Change): void {
    const { namespace, name } = object.metadata
    if (namespace !== LEASE_NAMESPACE || type === 'DELETED' || !this.#heardAt.has(name)) return
    if (previous === undefined || renewedAt(object) !== renewedAt(previous)) this.#heardAt.set(name, this.#looks + 1)
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
    if (readiness(now) !== 'Unknown' && reportedAt(now) !== reportedAt(before)) this.#heardAt.set(name, this.#looks + 1)
    if (now.spec !== before.spec || readiness(now) !== readiness(before)) this.#changed.add(name)
  }

  /** Whether taints may have to change now. */
  look(): boolean {
    this.#looks += 1
    for (const [name, at] of this.#heardAt) {
      if ((this.#looks - at) * this.#timing.monitorPeriodMs >= this.#timing.gracePeriodMs) this.#giveUp(name)
    }
    for (const name of [...this.#changed]) {
      const node = this.#nodeNamed(name)
      if (node !== undefined) this.#settle(node)
    }
    this.#changed.clear()
    return this.#toTaint.size > 0
  }

  taint(): void {
    for (const name of this.#toTaint) {
      const node = this.#nodeNamed(name)
      const taints = node && mendedTaints(node, 'NoExecute', this.#now())
      if (node !== undefined && taints !== undefined) this.#world.store.put(NODES, withTaints(node, taints))
    }
    this.#toTaint.clear()
  }

  #hear(name: string): void {
    this.#heardAt.set(name, this.#looks + 1)
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
    if (ready === 'True') this.#down.delete(name)
    else if (ready !== undefined && !this.#down.has(name)) {
      this.#down.add(name)
      markPodsNotReady(this.#world, name, this.#now())
    }
    this.#toTaint.add(name)
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
