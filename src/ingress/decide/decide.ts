import { INGRESS_FINALIZER } from '../../ground/model/ingress-keys.ts'
import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { toIsoSeconds } from '../../ground/model/time.ts'
import type { IngressAction, NodeAction } from './action.ts'
import { admissions } from './admission.ts'
import { decideNode } from './decide-node.ts'
import type { NodeAnswer } from './node-answer.ts'
import { type Pass, passOf } from './pass.ts'
import { atMost, pauseOf } from './refusals.ts'
import { isStalled } from './rollout-rules.ts'
import type { IngressSnapshot } from './snapshot.ts'

export type IngressDecision = LoopDecision<IngressAction>

/** For changes that no watch tells. */
const RECHECK_MS = 10_000
/** At most so many nodes get their first pods at once, as with a DaemonSet. */
const CREATED_AT_ONCE = 50

/** Decides for the nodes of an IngressDaemonSet. While the caches are late, nothing is changed. */
export function decideIngress(snapshot: IngressSnapshot): IngressDecision {
  if (!snapshot.isFresh) return { kind: 'hold', reasons: [behind(snapshot)], recheckAfterMs: RECHECK_MS }
  const pass = passOf(snapshot)
  const back = rollBack(pass)
  if (back !== undefined) return back
  const may = snapshot.object.deleting ? undefined : admissions(pass)
  const wanted = pass.nodes.map((n) => decideNode(pass, n, may?.get(n.name)))
  const answers = snapshot.refusals === undefined ? wanted : wanted.map((answer) => paused(answer, snapshot))
  const acts = answers.filter((answer) => answer.kind === 'act')
  const { now: actions, later } = atOnce(
    acts.map(({ action }) => action),
    snapshot,
  )
  const decision = decided(pass, { answers, acts, actions })
  const all = [...later, ...wanted.flatMap((one, at) => (one.kind === 'act' && one !== answers[at] ? one.action : []))]
  return all.length === 0 || decision.kind === 'settled' ? decision : { ...decision, later: all }
}

interface Answered {
  readonly answers: readonly NodeAnswer[]
  readonly acts: readonly Extract<NodeAnswer, { readonly kind: 'act' }>[]
  /** The actions of this pass. */
  readonly actions: readonly NodeAction[]
}

function decided(pass: Pass, { answers, acts, actions }: Answered): IngressDecision {
  const { object } = pass.s
  if (actions.length > 0) {
    // The waits of all other nodes are reasons as well, since the status lists them.
    const waits = answers.flatMap((answer) => (answer.kind === 'hold' ? answer.reasons : []))
    return { kind: 'act', actions, reasons: [...acts.map(({ reason }) => reason), ...waits] }
  }
  if (object.deleting && answers.every(({ kind }) => kind === 'rest')) return letGo(pass.s)
  return rest(pass, answers)
}

/** A node whose write was refused waits for its pause, and holds up no other node. */
function paused(answer: NodeAnswer, snapshot: IngressSnapshot): NodeAnswer {
  const until = answer.kind === 'act' ? pauseOf(answer.action, snapshot) : undefined
  return answer.kind === 'act' && until !== undefined ? { kind: 'hold', reasons: [answer.reason], until } : answer
}

const behind = ({ object }: IngressSnapshot): Reason => ({
  code: 'IngressUnknown',
  object: object.name,
  text: `the current state of ${object.name} is not known, so nothing is done`,
})

/** Begins an automatic rollback: nodes failed at the wanted revision, which is not the one that all nodes had before. */
function rollBack(pass: Pass): IngressDecision | undefined {
  const { object, revisions } = pass.s
  const { desired, current, rejected } = revisions
  if (!object.spec.rollout.autoRollback || object.deleting || current === undefined) return undefined
  const isRejected = rejected?.revision === desired && !rejected.isLifted
  if (current === desired || isRejected || !isStalled(pass)) return undefined
  const text = `so many nodes of ${object.name} failed that it goes back to revision ${current}`
  return {
    kind: 'act',
    actions: [{ kind: 'rejectRevision', revision: desired, backTo: current, at: toIsoSeconds(pass.s.now) }],
    reasons: [{ code: 'RolledBack', object: object.name, text }],
  }
}

function atOnce(actions: readonly NodeAction[], snapshot: IngressSnapshot): ReturnType<typeof atMost<NodeAction>> {
  const created = actions.filter(({ kind }) => kind === 'createDeployment')
  if (created.length <= CREATED_AT_ONCE) return { now: actions, later: [] }
  const { now, later } = atMost(CREATED_AT_ONCE, created, snapshot)
  const isNow = new Set(now)
  return { now: actions.filter((action) => action.kind !== 'createDeployment' || isNow.has(action)), later }
}

function letGo({ object, budget: { fault } }: IngressSnapshot): IngressDecision {
  // A slot that cannot be read would stay held as long as the controller lives.
  if (fault !== undefined) return { kind: 'hold', reasons: [fault], recheckAfterMs: RECHECK_MS }
  const text = `nothing of ${object.name} is left on any node`
  const reasons: readonly Reason[] = [{ code: 'ObjectUnused', object: object.name, text }]
  if (!object.finalizers.includes(INGRESS_FINALIZER)) return { kind: 'settled', reasons }
  return { kind: 'act', actions: [{ kind: 'removeFinalizer' }], reasons }
}

function rest({ s }: Pass, answers: readonly NodeAnswer[]): IngressDecision {
  const holds = answers.filter((answer) => answer.kind === 'hold')
  if (holds.length === 0) {
    const text = `every node of ${s.object.name} is as it should be`
    return { kind: 'settled', reasons: [{ code: 'IngressAsWanted', object: s.object.name, text }] }
  }
  const soonest = Math.min(...holds.map(({ until = Number.POSITIVE_INFINITY }) => until - s.now), RECHECK_MS)
  return { kind: 'hold', reasons: holds.flatMap(({ reasons }) => reasons), recheckAfterMs: Math.max(1, soonest) }
}
