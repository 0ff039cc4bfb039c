import { present } from '../../ground/model/present.ts'
import { healthInForce } from './in-force.ts'
import { asksToBeOut, ingressOwner, ownMark } from './marks.ts'
import { type NodeState, nodeState, targetRevision } from './node-state.ts'
import { type IngressOp, isFirst, OP_ANNOTATION, parseOp } from './op.ts'
import { remembered } from './remembered.ts'
import type { IngressNode, IngressSnapshot } from './snapshot.ts'

/** A node with what follows for it from the snapshot. */
export interface NodeView extends IngressNode {
  readonly state: NodeState
  readonly op?: IngressOp
  /** Why the node may be out by this object although no readable operation says so, in words. */
  readonly overDetached?: string
  /** The node serves traffic, as far as this object knows. */
  readonly isServing: boolean
  /** The node would serve without the mark of this object on its Deployment. */
  readonly couldServe: boolean
  /** All is well for its health port to answer, and a check of it failed. */
  readonly failsChecks: boolean
  /** This object has the node out, or holds a slot for it. A node whose first pods start without a slot does not count. */
  readonly isUnderWay: boolean
  /** A sign of this object asks for the node to be out. */
  readonly isAsked: boolean
  /** The node counts against the limit of this object, whatever took it out. */
  readonly isOut: boolean
}

/** What follows from a snapshot of an IngressDaemonSet. */
export interface Pass {
  readonly s: IngressSnapshot
  readonly target: string
  readonly nodes: readonly NodeView[]
  /** Nodes that are to have pods, or keep those that they have. */
  readonly eligible: readonly NodeView[]
}

/** A decision and the status that says it go by the same one. */
const PASSES = new WeakMap<IngressSnapshot, Pass>()

export function passOf(s: IngressSnapshot): Pass {
  const made = PASSES.get(s)
  if (made !== undefined) return made
  const out = new Set(s.budget.out.filter(({ why }) => why.some(({ kind }) => kind !== 'slot')).map(({ node }) => node))
  const target = targetRevision(s)
  const ofAll = [target, s.object.deleting, ingressOwner(s.object)]
  const [whileIn, whileOut] = [
    [...ofAll, false],
    [...ofAll, true],
  ] as const
  const recall = VIEWS(s.object.spec, s.nodes.length)
  const nodes = s.nodes.map((n) => {
    const make = (): NodeView => viewOf(s, n, out)
    return isTimeless(n) ? recall(n, out.has(n.name) ? whileOut : whileIn, make) : make()
  })
  const pass: Pass = { s, target, nodes, eligible: nodes.filter(isEligible) }
  PASSES.set(s, pass)
  return pass
}

const isEligible = ({ node, eligibility, deployment }: NodeView): boolean =>
  node !== undefined && (eligibility === 'Run' || (eligibility === 'Keep' && deployment !== undefined))

const VIEWS = remembered<IngressNode, NodeView>()

/** The node's view does not depend on the time. */
const isTimeless = ({ deployment }: IngressNode): boolean => deployment?.annotations[OP_ANNOTATION] === undefined

function viewOf(s: IngressSnapshot, n: IngressNode, out: ReadonlySet<string>): NodeView {
  const word = parseOp(n.deployment?.annotations[OP_ANNOTATION])
  const op = word.kind === 'op' ? word.op : undefined
  const isAsked = asksToBeOut(s.object, n)
  const isAlone = op === undefined && isAsked
  const over = word.kind === 'unreadable' ? word.why : isAlone && n.deployment !== undefined ? NO_OP : undefined
  const wouldServe = servesUnmarked(s, n, out)
  const couldServe = wouldServe && n.closedPort === undefined
  const isServing = couldServe && ownMark(s.object, n) === undefined
  const failsChecks = wouldServe && !couldServe && op === undefined
  const known = nodeState(s, n, op)
  const state = failsChecks && (known === 'InService' || known === 'Queued') ? 'Degraded' : known
  const isNew = isFirst(op)
  const isUnderWay = (op !== undefined && !isNew) || over !== undefined || isAlone || n.slot.kind === 'ours'
  return {
    ...n,
    state,
    isServing,
    couldServe,
    failsChecks,
    isUnderWay,
    isAsked,
    isOut: isUnderWay || (!isServing && n.deployment !== undefined && !isNew) || state === 'Degraded',
    ...present({ op, overDetached: over }),
  }
}

const NO_OP = 'it is missing'

/** What the health port of the node would answer without the mark of this object. */
function servesUnmarked({ object }: IngressSnapshot, n: IngressNode, out: ReadonlySet<string>): boolean {
  const { node, deployment } = n
  const { detach } = object.spec
  if (node === undefined || deployment === undefined || node.ready !== 'True' || n.isGoing) return false
  if (out.has(n.name) || deployment.isBeingDeleted === true) return false
  if (detach.node !== undefined && node.annotations[detach.node.key] !== undefined) return false
  return deployment.ready >= healthInForce(object, deployment).minReadyPods
}

/** It serves, but not for `minReadySeconds` yet: a balancer may not have it back. */
export function isHardlyReady({ s }: Pass, { deployment, isServing, op }: NodeView): boolean {
  if (!isServing || deployment === undefined || isFirst(op)) return false
  return deployment.available < healthInForce(s.object, deployment).minReadyPods
}

/**
 * The first pods start, and none is ready yet. Once one is ready, a balancer that does not ask the health ports may send to it, before the
 * node counts as in service.
 */
export const neverServed = ({ op, deployment }: NodeView): boolean => isFirst(op) && deployment?.ready === 0

/** All pods exist and have the template of the Deployment. */
export function isSettled({ s }: Pass, { deployment }: NodeView): boolean {
  const wanted = s.object.spec.podsPerNode
  if (deployment === undefined || !deployment.isObserved || deployment.oldPods > 0) return false
  const { replicas, updated, ready } = deployment
  return replicas === wanted && updated === wanted && ready === wanted
}
