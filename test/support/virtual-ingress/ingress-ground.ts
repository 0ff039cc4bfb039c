import {
  claimsOf,
  formatClaims,
  MAINTENANCE_ANNOTATION,
  withClaim,
  withoutClaim,
} from '../../../src/ground/model/claims.ts'
import type { IngressGroup } from '../../../src/ground/model/ingress-keys.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { isFinished, isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import type { Judge } from '../../../src/sim/traffic/judge.ts'
import { ApiFailure } from '../../../src/sim/world/api-failure.ts'
import {
  CONTROLLER_REVISIONS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  EVENTS,
  INGRESS_DAEMON_SETS,
  LEASES,
  NODES,
  PODS,
} from '../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../src/sim/world/apply-manifest.ts'
import { deleteObject, type Propagation } from '../../../src/sim/world/delete-object.ts'
import { evictPod } from '../../../src/sim/world/evict-pod.ts'
import { turnsOfLoop } from '../turns-of-loop.ts'
import type { ProcessOutside } from '../virtual-roll/process-ports.ts'
import { type AgentTrouble, VirtualAgents } from '../virtual-roll/virtual-agents.ts'
import { VirtualRoll } from '../virtual-roll/virtual-roll.ts'
import { ControllerProcess, LEASE } from './controller-process.ts'
import { budgetOf, FRONT, type Json, NODE_PORT, PLAIN_FRONT, ROLL_FILE, webService } from './ingress-manifests.ts'
import { judgedTraffic } from './judged-traffic.ts'

const PERSON = 'person/alice'
const OP_ANNOTATION = 'evenkeel.dev/ingress-operation'

interface GroundOptions {
  readonly nodes?: number
  readonly seed?: string
  /** `detacher`: the load balancer asks the agents nothing, so that nothing but its runtime API takes a node out. */
  readonly leavesBy?: 'health' | 'detacher'
}

const STARTED_WITHIN_S = 60

/** A cluster in virtual time on which a controller carries IngressDaemonSets. */
export class IngressGround {
  readonly cluster: VirtualCluster

  /** Health ports at which checks fail, whatever the Deployments say: `n1:10080`. */
  readonly closedPorts = new Set<string>()
  readonly #agents: VirtualAgents

  private constructor(cluster: VirtualCluster, agents: VirtualAgents) {
    this.cluster = cluster
    this.#agents = agents
  }

  end(): void {
    this.#agents.end()
    this.cluster.end()
  }

  /** All nodes are sent to, as the balancer sees it. */
  isServed(): boolean {
    return this.cluster.balancer.state.servers.every(({ isUsable }) => isUsable)
  }

  /** A roll of all nodes, by the socket of the balancer: how it ends. */
  async roll(): Promise<string> {
    const process = await new VirtualRoll(this.cluster, ROLL_FILE).begun()
    const end = await process.ended
    return end === 'died' ? end : end.outcome
  }

  /** Another node serves, and nothing is under way there. */
  servesWithout(name: string): boolean {
    const busy = new Set(
      this.deployments()
        .filter(({ metadata }) => metadata.annotations?.[OP_ANNOTATION] !== undefined)
        .map(({ metadata }) => metadata.annotations?.['evenkeel.dev/node']),
    )
    return this.cluster.balancer.state.servers.some(({ config: { name: other }, isUsable }) => {
      const { spec, metadata } = this.node(other)
      const isOut = (spec as { readonly unschedulable?: boolean }).unschedulable === true
      const isClaimed = metadata.annotations?.[MAINTENANCE_ANNOTATION] !== undefined
      return other !== name && isUsable && !isOut && !isClaimed && !busy.has(other)
    })
  }

  /** Traffic from outside, until it is asked for what was lost. */
  traffic(): () => Promise<Judge> {
    return judgedTraffic(this.cluster)
  }

  static async open({ nodes = 3, seed = '1', leavesBy = 'health' }: GroundOptions = {}): Promise<IngressGround> {
    const cluster = new VirtualCluster(
      {
        seed,
        startAt: wallMs(Date.UTC(2026, 0, 1)),
        nodes,
        darkMs: 500,
        manifests: [],
        balancer: {
          fronts: [leavesBy === 'health' ? FRONT : PLAIN_FRONT],
          check: { interMs: 1_000, fall: 3, rise: 2 },
        },
      },
      turnsOfLoop,
    )
    const agents = new VirtualAgents({ cluster, dataPort: NODE_PORT, countsConnections: true })
    const ground = new IngressGround(cluster, agents)
    applyManifest(cluster.world, webService(NODE_PORT))
    // The Lease of the leader, which its slots live by.
    applyManifest(cluster.world, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: LEASE,
      spec: { holderIdentity: 'us', leaseDurationSeconds: 3_600, renewTime: '2026-01-01T00:00:00.000000Z' },
    })
    await ground.until(
      'all Nodes to be Ready',
      () => {
        const all = [...cluster.world.store.all(NODES)]
        return (
          all.length === nodes && all.every((node) => JSON.stringify(node).includes('"type":"Ready","status":"True"'))
        )
      },
      STARTED_WITHIN_S,
    )
    return ground
  }

  apply(manifest: object): void {
    applyManifest(this.cluster.world, manifest)
  }

  remove(propagation: Propagation = 'Background'): void {
    const old = this.cluster.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'default', name: 'web' })
    const options = { propagation }
    if (old !== undefined) deleteObject(this.cluster.world, { resource: INGRESS_DAEMON_SETS, old, options })
  }

  cordon(name: string, unschedulable: boolean): void {
    const node = this.node(name)
    this.cluster.world.store.put(NODES, { ...node, spec: { ...(node.spec as object), unschedulable } })
  }

  budget(maxOut: number): void {
    this.apply(budgetOf(maxOut))
  }

  troubleAgent(name: string, trouble: AgentTrouble | undefined): void {
    this.#agents.setTrouble(name, trouble)
  }

  restartAgent(name: string): void {
    this.#agents.restart(name)
  }

  /** A person claims the node beside others, or withdraws that. */
  claim(name: string, isClaimed: boolean): void {
    const node = this.node(name)
    const { [MAINTENANCE_ANNOTATION]: before, ...others } = node.metadata.annotations ?? {}
    const rest = withoutClaim(claimsOf(before), PERSON)
    const claims = isClaimed ? withClaim(rest, { owner: PERSON, id: `by-hand-${name}` }) : rest
    const annotations = claims.length === 0 ? others : { ...others, [MAINTENANCE_ANNOTATION]: formatClaims(claims) }
    this.cluster.world.store.put(NODES, { ...node, metadata: { ...node.metadata, annotations } })
  }

  isClaimedByPerson(name: string): boolean {
    return claimsOf(this.node(name).metadata.annotations?.[MAINTENANCE_ANNOTATION]).some(
      ({ owner }) => owner === PERSON,
    )
  }

  /** As a drain asks for a pod: the code of a refusal, or that it is evicted, or gone already. */
  evict({ metadata: { namespace = '', name, uid } }: PodObject): number | 'evicted' {
    const pod = this.cluster.world.store.get(PODS, { namespace, name })
    if (pod === undefined || pod.metadata.uid !== uid || pod.metadata.deletionTimestamp !== undefined) return 'evicted'
    try {
      evictPod(this.cluster.world, { pod, options: {} })
      return 'evicted'
    } catch (error) {
      if (error instanceof ApiFailure) return error.code
      throw error
    }
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
    if (old === undefined)
      this.apply({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: 'evenkeel', name, annotations },
        spec,
      })
    else this.cluster.world.store.put(LEASES, { ...old, metadata: { ...old.metadata, annotations }, spec })
  }

  /** Writes to all that a controller of ours writes, and to nothing that the cluster writes by itself. */
  ownWrites(): string {
    const versions = [INGRESS_DAEMON_SETS, DEPLOYMENTS, DISRUPTION_BUDGETS, EVENTS, CONTROLLER_REVISIONS].flatMap(
      (kind) =>
        [...this.cluster.world.store.all(kind)].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`),
    )
    return versions.join(' ')
  }

  begin(
    name = 'controller 1',
    outside: ProcessOutside = {},
    groups: readonly IngressGroup[] = ['evenkeel.dev'],
  ): ControllerProcess {
    return new ControllerProcess(this.cluster, { name, outside, groups, closedPorts: this.closedPorts })
  }

  /** Virtual time goes on until it holds. */
  async until(what: string, holds: () => boolean, withinS = 600): Promise<void> {
    for (let step = 0; step < withinS * 10; step += 1) {
      if (holds()) return
      await this.cluster.time.advance(100)
    }
    throw new Error(`waited for ${what} for ${withinS} s: ${JSON.stringify(this.status())}`)
  }

  object(): Json | undefined {
    return this.cluster.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'default', name: 'web' }) as Json | undefined
  }

  status(): Json {
    return (this.object()?.status ?? {}) as Json
  }

  condition(type: string): string {
    const conditions = (this.status().conditions ?? []) as readonly { type: string; status: string; reason: string }[]
    const found = conditions.find((one) => one.type === type)
    return found === undefined ? 'absent' : `${found.status} ${found.reason}`
  }

  pods(): readonly PodObject[] {
    return [...this.cluster.world.store.all(PODS)] as PodObject[]
  }

  /** Pods that were made to leave. */
  leavingPods(): readonly { readonly node: string; readonly uid: string }[] {
    return this.pods()
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata: { uid }, spec: { nodeName = '' } }) => ({ node: nodeName, uid }))
  }

  /** `n1 v1 ready`, of all pods that have not ended. */
  podLines(): readonly string[] {
    return this.pods()
      .filter((pod) => !isFinished(pod))
      .map((pod) => `${pod.spec.nodeName} ${versionOf(pod)}${isReady(pod) ? '' : ' not ready'}`)
      .toSorted()
  }

  deployments() {
    return [...this.cluster.world.store.all(DEPLOYMENTS)]
  }

  gates() {
    return [...this.cluster.world.store.all(DISRUPTION_BUDGETS)]
  }

  node(name: string) {
    const node = this.cluster.world.store.get(NODES, { name })
    if (node === undefined) throw new Error(`there is no ${name}`)
    return node
  }

  /** Nodes that bear the claim of an IngressDaemonSet. */
  claimed(): readonly string[] {
    return [...this.cluster.world.store.all(NODES)]
      .filter(({ metadata }) => metadata.annotations?.[MAINTENANCE_ANNOTATION]?.includes('"ingress/') === true)
      .map(({ metadata }) => metadata.name)
  }

  slotHolders(): readonly string[] {
    return [...this.cluster.world.store.all(LEASES)]
      .filter(({ metadata }) => metadata.name.startsWith('evenkeel-slot'))
      .map(({ spec }) => (spec as { readonly holderIdentity?: string }).holderIdentity ?? '')
  }

  events(): readonly string[] {
    return [...this.cluster.world.store.all(EVENTS)].map((event) => `${String(event.reason)}: ${String(event.message)}`)
  }
}

const versionOf = ({ spec }: PodObject): string => {
  const [container] = (spec as unknown as { containers: { env: { name: string; value?: string }[] }[] }).containers
  return container?.env.find(({ name }) => name === 'VERSION')?.value ?? '?'
}
