import {
  claimsOf,
  formatClaims,
  MAINTENANCE_ANNOTATION,
  withClaim,
  withoutClaim,
} from '../../../src/ground/model/claims.ts'
import { GRANT_ANNOTATION } from '../../../src/ground/model/guard-keys.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { FoundDeployment } from '../../../src/ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../../src/ground/model/owned-object.ts'
import type { Reason } from '../../../src/ground/model/reason.ts'
import type { SeenSlot } from '../../../src/ground/model/slot.ts'
import { NODE_ANNOTATION } from '../../../src/ground/model/slot.ts'
import { type WallMs, wallMs } from '../../../src/ground/model/time.ts'
import type { GuardAction, GuardObjectAction } from '../../../src/guard/decide/action.ts'
import type { GuardPod } from '../../../src/guard/decide/found.ts'
import { formatGrant } from '../../../src/guard/decide/grant.ts'
import { type FoundGuard, groupSnapshot } from '../../../src/guard/decide/group-snapshot.ts'
import type { GuardSnapshot, HoldVerdict } from '../../../src/guard/decide/snapshot.ts'
import { wantedDeployment, wantedGate } from '../../../src/guard/decide/wanted-guard.ts'
import type { NodeGuard } from '../../../src/guard/model/node-guard.ts'
import type { NodeEffect } from '../../../src/service/model/node-effect.ts'
import { aDaemonSet, aPod, madeDeployment, madeObject, NOW } from './guard-objects.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

const HOLDER = 'controller/guard/default'

/** All that there is of one NodeGuard. */
export interface ToyGuard {
  readonly guard: NodeGuard
  deployments: Writable<FoundDeployment>[]
  gates: Writable<OwnedObject>[]
  pods: Writable<GuardPod>[]
}

/** A cluster that does as it is told, with the controllers and kubelets that stand behind it. */
export class GuardToy {
  now: WallMs = NOW
  isFresh = true
  unknownForMs = 0
  /** Of the API server, a moment ago. */
  outage: Reason | undefined
  maxOut = 1
  slots: SeenSlot[] = []
  refusedGuards: readonly string[] = []
  daemonSet: OwnedObject = aDaemonSet()
  readonly nodes: Map<string, Writable<Node>>
  readonly guards: readonly ToyGuard[]
  /** By guard and node; a hold that is not there is clear. */
  readonly verdicts = new Map<string, HoldVerdict['kind'] | 'unread'>()
  /** By node whose grant ended unused. */
  readonly waitedFrom = new Map<string, WallMs>()
  readonly #asking = new Map<string, WallMs>()

  constructor(guards: readonly NodeGuard[], nodes: readonly Node[]) {
    this.guards = guards.map((guard) => ({ guard, deployments: [], gates: [], pods: [] }))
    this.nodes = new Map(nodes.map((node) => [node.name, { ...node }]))
  }

  snapshot(): GuardSnapshot {
    for (const { name, unschedulable } of this.nodes.values())
      if (!unschedulable) this.#asking.delete(name)
      else if (!this.#asking.has(name)) this.#asking.set(name, this.now)
    return groupSnapshot({
      ...{
        group: 'default',
        now: this.now,
        isFresh: this.isFresh,
        unknownForMs: this.unknownForMs,
        holder: HOLDER,
        refusedGuards: this.refusedGuards,
      },
      nodes: [...this.nodes.values()].map((node) => ({ ...node })),
      outage: this.outage,
      asking: new Set(this.nodes.keys()),
      strays: [],
      budget: { limit: { kind: 'count', count: this.maxOut }, cordons: 'noBrake', slots: [...this.slots] },
      guards: this.guards.map((one) => this.#found(one)),
      requestedAt: new Map(this.#asking),
      waitedFrom: new Map(this.waitedFrom),
      refusals: new Map(),
    })
  }

  #found({ guard, deployments, gates, pods }: ToyGuard): FoundGuard {
    return {
      ...{ guard, daemonSet: this.daemonSet, otherGates: [] },
      deployments: deployments.map((one) => ({ ...one })),
      gates: gates.map((one) => ({ ...one })),
      pods: pods.map((pod) => ({ ...pod })),
      verdictsOf: (node) => {
        const kind = this.verdictOf(guard, node)
        return kind === 'unread'
          ? undefined
          : guard.spec.holds.map(({ name: hold }) => ({ hold, kind, text: 'a test' }))
      },
    }
  }

  verdictOf(guard: NodeGuard, node: string): HoldVerdict['kind'] | 'unread' {
    return this.verdicts.get(`${guard.uid}/${node}`) ?? 'clear'
  }

  perform(action: GuardAction): void {
    if ('view' in action) this.#toObject(action)
    else if (action.kind !== 'unlockStray') this.#toNode(action)
  }

  #toNode(action: NodeEffect): void {
    const node = this.nodes.get(action.node)
    switch (action.kind) {
      case 'takeSlot': {
        const slot = aSlotOf(action.node, action.index)
        this.slots = [...this.slots.filter(({ index }) => index !== action.index), slot]
        return
      }
      case 'releaseSlot':
        this.slots = this.slots.filter(({ index }) => index !== action.index)
        return
      case 'claim':
      case 'withdrawClaim': {
        if (node === undefined) return
        const claims = claimsOf(node.annotations[MAINTENANCE_ANNOTATION])
        const left = action.kind === 'claim' ? withClaim(claims, action.claim) : withoutClaim(claims, action.owner)
        const { [MAINTENANCE_ANNOTATION]: _, ...rest } = node.annotations
        node.annotations = left.length === 0 ? rest : { ...rest, [MAINTENANCE_ANNOTATION]: formatClaims(left) }
      }
    }
  }

  #toObject(action: GuardObjectAction): void {
    const of = this.guards.find(({ guard }) => guard === action.view.guard)
    if (of === undefined) return
    const { guard } = of
    switch (action.kind) {
      case 'createGate':
        of.gates.push(madeObject(wantedGate(guard, action.wanted, false)))
        return
      case 'createDeployment':
        of.deployments.push(madeDeployment(guard, action.wanted, action.replicas))
        return
      case 'openGate':
      case 'closeGate': {
        const isOpen = action.kind === 'openGate'
        const made = madeObject(wantedGate(guard, action.wanted, isOpen))
        const grant = isOpen ? { [GRANT_ANNOTATION]: formatGrant({ node: action.node, at: this.now }) } : {}
        const gate = { ...made, annotations: { ...made.annotations, ...grant } }
        of.gates = of.gates.map((one) => (one.name === gate.name ? gate : one))
        return
      }
      case 'alignDeployment': {
        const { wanted, replicas, isPaused, deployment } = action
        const made = madeDeployment(guard, wanted, replicas)
        const { content } = madeObject(wantedDeployment(guard, wanted, { replicas, isPaused }))
        of.deployments = of.deployments.map((one) => (one.uid === deployment.uid ? { ...made, content } : one))
        return
      }
      case 'deleteDeployment':
        of.deployments = of.deployments.filter(({ uid }) => uid !== action.deployment.uid)
        return
      case 'deleteGate':
        of.gates = of.gates.filter(({ uid }) => uid !== action.gate.uid)
        return
      default:
        of.pods = of.pods.filter(({ uid }) => uid !== action.pod.uid)
    }
  }

  /** Deployments get their pods, and kubelets start them: those that were made in an earlier turn are ready now. */
  turn(): void {
    this.now = wallMs(this.now + 5_000)
    for (const of of this.guards) {
      for (const pod of of.pods.filter(({ deleting }) => !deleting))
        pod.isReady = this.nodes.get(pod.nodeName ?? '')?.ready === 'True'
      of.pods = of.pods.filter(({ nodeName = '' }) => this.nodes.has(nodeName) && this.#hasDeployment(of, nodeName))
      for (const deployment of of.deployments) this.#place(of, deployment)
    }
  }

  #hasDeployment({ deployments }: ToyGuard, node: string): boolean {
    return deployments.some(({ annotations }) => [undefined, node].includes(annotations[NODE_ANNOTATION]))
  }

  #place(of: ToyGuard, { annotations, replicas }: FoundDeployment): void {
    const only = annotations[NODE_ANNOTATION]
    const mine = of.pods.filter(({ nodeName }) => only === undefined || nodeName === only)
    const free = [...this.nodes.values()].filter(
      ({ name, unschedulable }) =>
        !unschedulable && (only ?? name) === name && !of.pods.some(({ nodeName }) => nodeName === name),
    )
    for (const { name } of free.slice(0, Math.max(0, replicas - mine.length)))
      of.pods.push(
        aPod(of.guard, name, { isReady: false, readySince: this.now, uid: `${of.guard.uid}-${name}-${this.now}` }),
      )
  }

  /** As each drain does: the guards of cordoned nodes go where their budgets let them. */
  evict(): void {
    for (const of of this.guards)
      of.pods = of.pods.filter(
        ({ nodeName = '' }) => !(this.nodes.get(nodeName)?.unschedulable && isOpenFor(of, nodeName)),
      )
  }
}

const isOpenFor = ({ gates }: ToyGuard, node: string): boolean =>
  gates.some((gate) => gate.annotations[NODE_ANNOTATION] === node && isOpen(gate))

export const isOpen = ({ content }: OwnedObject): boolean => {
  const { minAvailable, maxUnavailable } = content.spec as { minAvailable?: number; maxUnavailable?: number }
  return minAvailable === 0 || (maxUnavailable ?? 0) > 0
}

export const aSlotOf = (node: string, index: number, holder = HOLDER): SeenSlot => ({
  ...{ index, isStale: false, renewTime: '2026-01-01T12:00:00Z', durationMs: 120_000 },
  owner: { holder, run: holder.slice(0, holder.lastIndexOf('/')), node },
})
