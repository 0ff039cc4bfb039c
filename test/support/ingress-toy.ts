import assert from 'node:assert/strict'
import {
  claimsOf,
  formatClaims,
  MAINTENANCE_ANNOTATION,
  withClaim,
  withoutClaim,
} from '../../src/ground/model/claims.ts'
import type { Node } from '../../src/ground/model/node.ts'
import { wallMs } from '../../src/ground/model/time.ts'
import type { IngressAction, NodeAction } from '../../src/ingress/decide/action.ts'
import { formatOp, OP_ANNOTATION, parseOp } from '../../src/ingress/decide/op.ts'
import { formatRejection } from '../../src/ingress/decide/rejection.ts'
import type { IngressDeployment, IngressSnapshot } from '../../src/ingress/decide/snapshot.ts'
import { GAVE_UP_ANNOTATION, REJECTED_ANNOTATION } from '../../src/ingress/decide/snapshot.ts'
import { budgetNode } from '../../src/service/decide/budget/budget-node.ts'
import { maxOut } from '../../src/service/decide/budget/max-out.ts'
import { whoIsOut } from '../../src/service/decide/budget/who-is-out.ts'
import {
  formatHolders,
  HOLDERS_ANNOTATION,
  parseHolders,
  withHolder,
  withoutHolder,
} from '../../src/service/decide/detach-holders.ts'
import {
  aClusterNode,
  aDeployment,
  anIngress,
  aSlot,
  DEPLOYMENT_MARK,
  NODE_MARK,
  NOW,
  OWNER,
  type SpecChange,
} from './ingress-world.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

export interface ToyNode {
  readonly name: string
  node: Writable<Node> | undefined
  deployment: Writable<IngressDeployment> | undefined
  eligibility: 'Run' | 'Leave'
  pods: number
  /** It has served since its Deployment is there. */
  served: boolean
  /** Since when its claim and its mark stand without a break. */
  askedSince: number | undefined
  /** Others set the mark on the Node. */
  foreignMark: boolean
}

interface ToySetup {
  readonly spec: SpecChange
  readonly nodes: number
  readonly maxOut: number
}

type Changes = readonly (readonly [key: string, value: string | undefined])[]

function annotate(object: { annotations: Readonly<Record<string, string>> }, changes: Changes): void {
  const kept = Object.entries(object.annotations).filter(([key]) => changes.every(([changed]) => changed !== key))
  const set = changes.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  object.annotations = Object.fromEntries([...kept, ...set])
}

function onNode(node: Writable<Node>, action: NodeAction): void {
  const claims = claimsOf(node.annotations[MAINTENANCE_ANNOTATION])
  const asText = (of: typeof claims): string | undefined => (of.length === 0 ? undefined : formatClaims(of))
  const holders = parseHolders(node.annotations[HOLDERS_ANNOTATION])
  if (action.kind === 'claim') annotate(node, [[MAINTENANCE_ANNOTATION, asText(withClaim(claims, action.claim))]])
  if (action.kind === 'withdrawClaim')
    annotate(node, [[MAINTENANCE_ANNOTATION, asText(withoutClaim(claims, action.owner))]])
  if (action.kind === 'markNode') {
    annotate(node, [[HOLDERS_ANNOTATION, formatHolders(withHolder(holders, action))]])
    if (action.asked !== undefined) annotate(node, [[action.key, action.value]])
  }
  if (action.kind === 'unmarkNode') {
    annotate(node, [[HOLDERS_ANNOTATION, formatHolders(withoutHolder(holders, action))]])
    if (action.removesKey) annotate(node, [[action.key, undefined]])
  }
}

function onDeployment(deployment: Writable<IngressDeployment>, action: NodeAction): void {
  switch (action.kind) {
    case 'writeOp':
      annotate(deployment, [
        [OP_ANNOTATION, formatOp(action.op)],
        [GAVE_UP_ANNOTATION, undefined],
        ...(action.mark === undefined ? [] : [[action.mark.key, action.mark.value] as const]),
      ])
      break
    case 'clearOp':
      annotate(deployment, [[OP_ANNOTATION, undefined]])
      annotate(deployment, [[GAVE_UP_ANNOTATION, action.gaveUp]])
      break
    case 'unmarkDeployment':
      annotate(deployment, [[action.key, undefined]])
      break
    case 'applyTemplate': {
      annotate(deployment, [[REJECTED_ANNOTATION, undefined]])
      const pods = action.atOnce ? { updated: 0, ready: 0, available: 0, oldPods: 2 } : { updated: 1, oldPods: 1 }
      Object.assign(deployment, { revision: action.revision, replicas: action.replicas, ...pods })
      break
    }
    case 'scale':
      annotate(deployment, [[REJECTED_ANNOTATION, action.rejected && formatRejection(action.rejected)]])
      deployment.replicas = action.replicas
      break
    case 'setGate':
      deployment.gate = action.isOpen ? 'open' : 'closed'
      break
  }
}

function wrongWhileServing(one: ToyNode, action: NodeAction, isDetached: boolean): string[] {
  if (action.kind === 'unmarkNode' && action.removesKey && one.foreignMark) return ['the mark of others is taken away']
  if (isDetached || !one.served || one.node === undefined) return []
  if (action.kind === 'applyTemplate' && action.atOnce) return ['its pods change before it is detached']
  if (action.kind === 'deleteDeployment') return ['its pods go before it is detached']
  return action.kind === 'setGate' && action.isOpen ? ['its gate opens before it is detached'] : []
}

/** A world that is as small as can be: each write is done at once, and pods follow a step later. */
export class IngressToy {
  now = NOW
  wanted = 'r1'
  readonly bad = new Set<string>()
  readonly nodes: ToyNode[]
  /** By index: for which node, and whether it is ours. */
  readonly slots = new Map<number, { node: string; ours: boolean; at: number }>()
  deleting = false
  finalized = false
  /** Wrong things that were done. */
  readonly faults: string[] = []
  readonly #setup: ToySetup

  constructor(setup: ToySetup) {
    this.#setup = setup
    this.nodes = Array.from({ length: setup.nodes }, (_, i) => ({
      name: `n${i}`,
      node: aClusterNode(`n${i}`, { labels: { 'topology.kubernetes.io/zone': `z${i % 2}` } }),
      deployment: undefined,
      eligibility: 'Run',
      pods: 0,
      served: false,
      askedSince: undefined,
      foreignMark: false,
    }))
  }

  get object() {
    return { ...anIngress(this.#setup.spec), deleting: this.deleting, finalizers: this.finalized ? [] : ['x'] }
  }

  get budget(): number {
    return maxOut({ kind: 'count', count: this.#setup.maxOut }, this.nodes.length)
  }

  out() {
    const slots = [...this.slots].map(([index, { node }]) => ({ index, node, owner: 'x' }))
    const nodes = this.nodes.flatMap(({ node }) => (node === undefined ? [] : [budgetNode({ ...node })]))
    return whoIsOut({ nodes, places: [], cordons: 'unknown', slots, returning: new Set() })
  }

  snapshot(): IngressSnapshot {
    return {
      object: this.object,
      now: wallMs(this.now),
      isFresh: true,
      revisions: { desired: this.wanted, current: 'r1', promoted: this.wanted },
      budget: {
        limit: { kind: 'count', count: this.#setup.maxOut },
        fleet: this.nodes.length,
        out: this.out(),
        slots: [...this.slots].map(([index, { node }]) => aSlot(index, node)),
      },
      nodes: this.nodes.map(({ name, node, deployment, eligibility, pods }) => ({
        name,
        eligibility,
        isGoing: false,
        pods,
        slot: this.#slotOf(name),
        ...(node === undefined ? {} : { node: { ...node } }),
        ...(deployment === undefined ? {} : { deployment: { ...deployment } }),
      })),
    }
  }

  #slotOf(name: string): IngressSnapshot['nodes'][number]['slot'] {
    const found = [...this.slots].find(([, { node }]) => node === name)
    if (found === undefined) return { kind: 'none' }
    const [index, { ours, at }] = found
    return ours ? { kind: 'ours', index, takenAt: wallMs(at) } : { kind: 'others', owner: 'run x' }
  }

  isServing({ node, deployment }: ToyNode): boolean {
    if (node === undefined || node.ready !== 'True' || deployment === undefined) return false
    const keys = [MAINTENANCE_ANNOTATION, ...(this.object.spec.detach.node === undefined ? [] : [NODE_MARK.key])]
    if (keys.some((key) => key in node.annotations)) return false
    return !(DEPLOYMENT_MARK.key in deployment.annotations) && deployment.available >= 2
  }

  /** By this object, apart from new nodes. */
  isUnderWay({ deployment, node }: ToyNode): boolean {
    const word = parseOp(deployment?.annotations[OP_ANNOTATION])
    const claims = claimsOf(node?.annotations[MAINTENANCE_ANNOTATION])
    return (word.kind === 'op' && word.op.isNew !== true) || claims.some(({ owner }) => owner === OWNER)
  }

  /** One step of time: pods come up where they can, detachers answer. */
  tick(ms = 5_000): void {
    this.now += ms
    for (const one of this.nodes) {
      this.#pods(one)
      this.#detacher(one)
      if (this.isServing(one)) one.served = true
    }
  }

  #pods(one: ToyNode): void {
    const { deployment, node } = one
    if (deployment === undefined || node === undefined) {
      one.pods = 0
      return
    }
    const comeUp = node.ready === 'True' && !node.unschedulable && !this.bad.has(deployment.revision)
    deployment.available = Math.min(deployment.ready, deployment.replicas)
    deployment.oldPods = 0
    deployment.updated = deployment.replicas
    deployment.ready = comeUp ? deployment.replicas : Math.min(deployment.ready, deployment.replicas)
    if (node.ready !== 'True') deployment.ready = deployment.available = 0
    one.pods = deployment.replicas
  }

  #detacher({ node }: ToyNode): void {
    const key = 'node-detacher.variant.run/detachment-timestamp'
    if (node === undefined) return
    const { [key]: stamp, ...annotations } = node.annotations
    if (!(NODE_MARK.key in node.annotations)) node.annotations = annotations
    else if (stamp === undefined) node.annotations = { ...annotations, [key]: new Date(this.now).toISOString() }
  }

  perform(action: IngressAction): void {
    if (action.kind === 'removeFinalizer') this.finalized = true
    if (!('node' in action)) return
    const one = this.nodes.find(({ name }) => name === action.node)
    assert.ok(one !== undefined)
    const before = { isServing: this.isServing(one), isUnderWay: this.isUnderWay(one) }
    this.#do(one, action)
    this.#judge(one, action, before)
    const asks = MAINTENANCE_ANNOTATION in (one.node?.annotations ?? {})
    const marked = DEPLOYMENT_MARK.key in (one.deployment?.annotations ?? {})
    one.askedSince = asks && marked ? (one.askedSince ?? this.now) : undefined
  }

  #do(one: ToyNode, action: NodeAction): void {
    if (action.kind === 'takeSlot') this.slots.set(action.index, { node: one.name, ours: true, at: this.now })
    if (action.kind === 'releaseSlot') this.slots.delete(action.index)
    if (action.kind === 'deleteDeployment') one.deployment = undefined
    if (action.kind === 'createDeployment') {
      const annotations = { [OP_ANNOTATION]: formatOp(action.op), [action.mark.key]: action.mark.value }
      const pods = { updated: 0, ready: 0, available: 0, runningPods: 0 }
      one.deployment = aDeployment({ revision: action.revision, annotations, ...pods, gate: 'absent' })
      one.served = false
    }
    if (one.node !== undefined) onNode(one.node, action)
    if (one.deployment !== undefined) onDeployment(one.deployment, action)
  }

  /** What may not be, whatever happens: by rules that are not those of the decision. */
  #judge(one: ToyNode, action: NodeAction, before: { isServing: boolean; isUnderWay: boolean }): void {
    const isBegun = action.kind === 'writeOp' && !before.isUnderWay && before.isServing && action.mark !== undefined
    const isDetached = this.now - (one.askedSince ?? this.now) >= DEPLOYMENT_MARK.graceMs
    const wrong = [...(isBegun ? this.#wrongBeginning(one) : []), ...wrongWhileServing(one, action, isDetached)]
    if (action.kind === 'applyTemplate' && one.served && this.#slotOf(one.name).kind === 'none') wrong.push('no slot')
    this.faults.push(...wrong.map((text) => `${action.kind} ${one.name}: ${text}`))
  }

  #wrongBeginning({ name }: ToyNode): string[] {
    const { strategy, rollout } = this.object.spec
    const limit = strategy.kind === 'detach' ? strategy.maxUnavailableNodes : strategy.maxDegradedNodes
    const others = this.out().filter(({ node }) => node !== name).length
    const underWay = this.nodes.filter((node) => this.isUnderWay(node)).length
    const serving = this.nodes.filter((node) => this.isServing(node)).length
    return [
      ...(underWay > (limit.kind === 'count' ? limit.count : 1) ? ['more under way than may be'] : []),
      ...(serving < rollout.minInServiceNodes ? ['too few serve'] : []),
      ...(others >= this.budget ? ['over the node budget'] : []),
    ]
  }

  /** What is left of this object on nodes and in slots. */
  left(): readonly string[] {
    return [
      ...this.nodes.flatMap(({ name, node }) => {
        const { [MAINTENANCE_ANNOTATION]: claims, [HOLDERS_ANNOTATION]: holders } = node?.annotations ?? {}
        const own = claimsOf(claims).some(({ owner }) => owner === OWNER)
        return [...(own ? [`claim on ${name}`] : []), ...(holders === undefined ? [] : [`holder on ${name}`])]
      }),
      ...[...this.slots].filter(([, { ours }]) => ours).map(([index]) => `slot ${index}`),
    ]
  }
}
