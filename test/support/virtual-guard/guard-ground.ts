import { MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { HoldAnswer, HoldSource } from '../../../src/guard/holds/hold-source.ts'
import { isFinished, isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { ApiFailure } from '../../../src/sim/world/api-failure.ts'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'
import {
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  EVENTS,
  LEASES,
  NODE_GUARDS,
  NODES,
  PODS,
} from '../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../src/sim/world/apply-manifest.ts'
import { type DeleteOptions, deleteObject } from '../../../src/sim/world/delete-object.ts'
import { evictPod } from '../../../src/sim/world/evict-pod.ts'
import { turnsOfLoop } from '../turns-of-loop.ts'
import { FRONT } from '../virtual-ingress/ingress-manifests.ts'
import type { ProcessOutside } from '../virtual-roll/process-ports.ts'
import { isWantedOn, type Json, STORAGE_LABEL } from './guard-manifests.ts'
import { GuardProcess, LEASE } from './guard-process.ts'
import { kubectlDrain } from './kubectl-drain.ts'

interface GroundOptions {
  readonly nodes?: number
  readonly seed?: string
}

const STARTED_WITHIN_S = 60

/** How an HTTP target of a hold answers for each node. */
type Target = (node: string) => HoldAnswer | 'hangs'

/** A cluster in virtual time on which a controller carries NodeGuards, and people drain nodes. */
export class GuardGround {
  readonly cluster: VirtualCluster
  /** Of every hold of type http. */
  target: Target = () => ({ kind: 'clear', evidence: 'answered 200' })

  /** Told of each pod that a drain was allowed to evict. */
  onEvicted: (pod: PodObject, node: string) => void = () => undefined

  #heldByHand: { readonly node: string; readonly at: number } | undefined

  private constructor(cluster: VirtualCluster) {
    this.cluster = cluster
  }

  static async open({ nodes = 3, seed = '1' }: GroundOptions = {}): Promise<GuardGround> {
    const cluster = new VirtualCluster(
      {
        ...{ seed, nodes, darkMs: 500, manifests: [] },
        startAt: wallMs(Date.UTC(2026, 0, 1)),
        balancer: { fronts: [FRONT], check: { interMs: 60_000, fall: 3, rise: 2 } },
      },
      turnsOfLoop,
    )
    const ground = new GuardGround(cluster)
    // The Lease of the leader, which its slots live by.
    ground.apply({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: LEASE,
      spec: { holderIdentity: 'us', leaseDurationSeconds: 3_600, renewTime: '2026-01-01T00:00:00.000000Z' },
    })
    await ground.until('all Nodes to be Ready', () => ground.readyNodes().length === nodes, STARTED_WITHIN_S)
    return ground
  }

  end(): void {
    this.cluster.end()
  }

  apply(manifest: object): void {
    applyManifest(this.cluster.world, manifest)
  }

  begin(name = 'controller 1', outside: ProcessOutside = {}): GuardProcess {
    const source: HoldSource = { pathFault: () => undefined, ask: ({ url }, signal) => this.#answer(url, signal) }
    return new GuardProcess({ cluster: this.cluster, name, source, outside })
  }

  async #answer(url: string, signal: AbortSignal): Promise<HoldAnswer> {
    const answer = this.target(url.slice(url.lastIndexOf('/') + 1))
    await this.cluster.time.sleep(answer === 'hangs' ? 5_000 : 10, signal)
    return answer === 'hangs' ? { kind: 'unknown', why: `GET ${url} was not answered within 5 s` } : answer
  }

  cordon(name: string, unschedulable: boolean): void {
    const node = this.cluster.world.store.get(NODES, { name })
    if (node === undefined) return
    this.cluster.world.store.put(NODES, { ...node, spec: { ...(node.spec as object), unschedulable } })
  }

  annotateNode(name: string, key: string, value: string | undefined): void {
    const node = this.node(name)
    const { [key]: _, ...others } = node.metadata.annotations ?? {}
    const annotations = value === undefined ? others : { ...others, [key]: value }
    this.cluster.world.store.put(NODES, { ...node, metadata: { ...node.metadata, annotations } })
  }

  /** A person holds it, and nothing else releases it. */
  holdByHand(node: string, isHeld: boolean): void {
    this.annotateGuard('evenkeel.dev/guard-holds', isHeld ? [{ node, by: 'alice' }] : undefined)
    this.#heldByHand = isHeld ? { node, at: this.cluster.time.monoMs() } : undefined
  }

  heldByHandForMs(node: string): number {
    return this.#heldByHand?.node === node ? this.cluster.time.monoMs() - this.#heldByHand.at : 0
  }

  isCordoned(name: string): boolean {
    return (this.node(name).spec as { readonly unschedulable?: boolean }).unschedulable === true
  }

  /** A roll has that slot, or has it no more. */
  holdSlot(index: number, node: string | undefined): void {
    const name = `evenkeel-slot-${index}`
    const old = this.cluster.world.store.get(LEASES, { namespace: 'evenkeel', name })
    const renewTime = '2026-01-01T00:00:00.000000Z'
    const spec =
      node === undefined
        ? { holderIdentity: '' }
        : { holderIdentity: '20260101T000000Z-0001/a', leaseDurationSeconds: 600, renewTime }
    const annotations = node === undefined ? {} : { 'evenkeel.dev/node': node }
    const metadata = { namespace: 'evenkeel', name, annotations }
    if (old === undefined) this.apply({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec })
    else this.cluster.world.store.put(LEASES, { ...old, metadata: { ...old.metadata, annotations }, spec })
  }

  /** By a person, on the NodeGuard. */
  annotateGuard(key: string, value: object | string | undefined, name = 'guard'): void {
    const guard = this.guard(name)
    if (guard === undefined) return
    const { [key]: _, ...others } = guard.metadata.annotations ?? {}
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const annotations = value === undefined ? others : { ...others, [key]: text }
    this.cluster.world.store.put(NODE_GUARDS, { ...guard, metadata: { ...guard.metadata, annotations } })
  }

  remove(
    resource: typeof PODS,
    at: { readonly namespace?: string; readonly name: string },
    options: DeleteOptions = {},
  ): void {
    const old = this.cluster.world.store.get(resource, at)
    if (old !== undefined) deleteObject(this.cluster.world, { resource, old, options })
  }

  removeNode(name: string): void {
    this.cluster.machines.get(name)?.powerCut()
    this.remove(NODES, { name })
  }

  /** A person cordons the node, and drains it; `deletes`: past every budget. */
  drain(name: string, { deletes = false } = {}): { isOver: () => boolean } {
    this.cordon(name, true)
    const { time } = this.cluster
    const evict = (pod: PodObject) => (deletes ? this.remove(PODS, pod.metadata) : this.evict(pod))
    return kubectlDrain({ time, podsThere: () => this.podsOn(name), evict })
  }

  evict(pod: PodObject): number | 'evicted' {
    try {
      evictPod(this.cluster.world, { pod, options: {} })
      this.onEvicted(pod, pod.spec.nodeName ?? '')
      return 'evicted'
    } catch (error) {
      if (error instanceof ApiFailure) return error.code
      throw error
    }
  }

  /** Virtual time goes on until it holds. */
  async until(what: string, holds: () => boolean, withinS = 120): Promise<void> {
    for (let step = 0; step < withinS * 10; step += 1) {
      if (holds()) return
      await this.cluster.time.advance(100)
    }
    throw new Error(`waited for ${what} for ${withinS} s: ${JSON.stringify(this.status())}`)
  }

  /** For so long it does not come true. */
  async notWithin(s: number, holds: () => boolean): Promise<void> {
    for (let step = 0; step < s * 10; step += 1) {
      await this.cluster.time.advance(100)
      if (holds()) throw new Error(`it came true after ${step / 10} s: ${JSON.stringify(this.status())}`)
    }
  }

  guard(name = 'guard'): ApiObject | undefined {
    return this.cluster.world.store.get(NODE_GUARDS, { namespace: 'default', name })
  }

  status(name = 'guard'): Json {
    return (this.guard(name)?.status ?? {}) as Json
  }

  /** `n1 Held HoldStands`, of the nodes in the status. */
  rows(name = 'guard'): readonly string[] {
    const nodes = (this.status(name).nodes ?? []) as readonly { name: string; state: string; reason?: string }[]
    return nodes.map((row) => `${row.name} ${row.state}${row.reason === undefined ? '' : ` ${row.reason}`}`)
  }

  condition(type: string, name = 'guard'): string {
    const conditions = (this.status(name).conditions ?? []) as readonly Json[]
    const found = conditions.find((one) => one.type === type)
    return found === undefined ? 'absent' : `${found.status} ${found.reason}`
  }

  /** Of the nodes that the DaemonSet is to run on. */
  wantedNames(): readonly string[] {
    return this.nodeNames().filter((name) => this.isWanted(name))
  }

  nodeNames(): readonly string[] {
    return [...this.cluster.world.store.all(NODES)].map(({ metadata }) => metadata.name).toSorted()
  }

  hasNode(name: string): boolean {
    return this.cluster.world.store.get(NODES, { name }) !== undefined
  }

  /** The DaemonSet is to run there. */
  isWanted(name: string): boolean {
    return isWantedOn(this.node(name))
  }

  label(name: string, value: string | undefined): void {
    const node = this.node(name)
    const { [STORAGE_LABEL]: _, ...others } = node.metadata.labels ?? {}
    const labels = value === undefined ? others : { ...others, [STORAGE_LABEL]: value }
    this.cluster.world.store.put(NODES, { ...node, metadata: { ...node.metadata, labels } })
  }

  node(name: string) {
    const node = this.cluster.world.store.get(NODES, { name })
    if (node === undefined) throw new Error(`there is no ${name}`)
    return node
  }

  readyNodes(): readonly string[] {
    return [...this.cluster.world.store.all(NODES)]
      .filter((node) => JSON.stringify(node).includes('"type":"Ready","status":"True"'))
      .map(({ metadata }) => metadata.name)
  }

  pods(): readonly PodObject[] {
    return ([...this.cluster.world.store.all(PODS)] as PodObject[]).filter((pod) => !isFinished(pod))
  }

  /** What a drain asks to go, or waits for: no pod of a DaemonSet, and none that it would need --force for. */
  podsOn(node: string): readonly PodObject[] {
    const all = [...this.cluster.world.store.all(PODS)] as PodObject[]
    const there = all.filter((pod) => !isFinished(pod) || pod.metadata.deletionTimestamp !== undefined)
    return there.filter(
      ({ spec, metadata }) =>
        spec.nodeName === node && metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') !== true,
    )
  }

  /** Nodes with a guard of that name that is ready and is not about to go. */
  guarded(name = 'guard'): readonly string[] {
    return this.guardPods(name)
      .filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined)
      .map(({ spec }) => spec.nodeName ?? '')
      .toSorted()
  }

  guardPods(name = 'guard'): readonly PodObject[] {
    return this.pods().filter(({ metadata }) => metadata.labels?.['evenkeel.dev/guard'] === name)
  }

  deployments = () => [...this.cluster.world.store.all(DEPLOYMENTS)]

  gates = () => [...this.cluster.world.store.all(DISRUPTION_BUDGETS)]

  /** Nodes that bear the claim of guards. */
  claimed(): readonly string[] {
    return [...this.cluster.world.store.all(NODES)]
      .filter(({ metadata }) => metadata.annotations?.[MAINTENANCE_ANNOTATION]?.includes('"guard/') === true)
      .map(({ metadata }) => metadata.name)
  }

  /** The nodes that slots are held for. */
  slotNodes(): readonly string[] {
    return [...this.cluster.world.store.all(LEASES)]
      .filter(
        ({ metadata, spec }) =>
          metadata.name.startsWith('evenkeel-slot') && ((spec as Json).holderIdentity ?? '') !== '',
      )
      .map(({ metadata }) => metadata.annotations?.['evenkeel.dev/node'] ?? '')
  }

  events(): readonly string[] {
    return [...this.cluster.world.store.all(EVENTS)].map((event) => `${String(event.reason)}: ${String(event.message)}`)
  }
}
