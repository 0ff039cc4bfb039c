import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { type FieldFinding, findingReason } from '../../ground/model/schema/field-finding.ts'
import type { IngressAction } from './action.ts'
import { decideIngress } from './decide.ts'
import { healthChecker } from './health-checker.ts'
import { housekeeping, neededFirst, type ObjectAction } from './housekeeping.ts'
import type { IngressReading } from './reading.ts'
import { atMost, pauseOf, refusalReasons, refusedLast } from './refusals.ts'
import type { Rollback } from './rollback.ts'
import { takenNames } from './taken-names.ts'

/** An IngressDaemonSet as a pass finds it. A refused one is left alone, and its nodes stay as they are. */
export type ObjectReading =
  | {
      readonly kind: 'refused'
      readonly name: string
      readonly findings: readonly FieldFinding[]
      /** The object asks for a rollback: its result, and the objects that it is about. */
      readonly back?: Rollback
      readonly reading?: IngressReading
    }
  | { readonly kind: 'seen'; readonly reading: IngressReading }

type ObjectDecision = LoopDecision<ObjectAction>

/** The watch tells when a person changes the object. */
const REFUSED_AGAIN_MS = 60_000

/**
 * Decides for an IngressDaemonSet: what it needs first, then its nodes, and the housekeeping beside them. `isHeld`: the action waits, since it
 * was done in vain before.
 */
export function decideObject(seen: ObjectReading, isHeld?: (action: ObjectAction) => boolean): ObjectDecision {
  const decision = seen.kind === 'refused' ? refused(seen) : decideReading(seen.reading, isHeld)
  const { snapshot } = seen.reading ?? {}
  return snapshot?.refusals === undefined ? decision : withRefusals(decision, snapshot)
}

/** Refused writes wait at most this long for the next pass. */
const REFUSED_LOOK_MS = 10_000

/** A refused write is tried after its pause, and after all others. Its reason comes first as long as the write is wanted. */
function withRefusals(decision: ObjectDecision, snapshot: IngressReading['snapshot']): ObjectDecision {
  const { refusals, object, now } = snapshot
  if (decision.kind === 'settled' || refusals === undefined) return decision
  const wanted = decision.kind === 'act' ? decision.actions : []
  const split = atMost(wanted.length, wanted, snapshot)
  const later = [...(decision.later ?? []), ...split.later]
  if (decision.kind === 'hold' && later.length === 0) return decision
  const actions = refusedLast(split.now, refusals)
  const reasons = [...refusalReasons([...actions, ...later], refusals, object.name), ...decision.reasons]
  if (actions.length > 0) return { kind: 'act', actions, reasons, later }
  const soonest = Math.min(...later.map((action) => (pauseOf(action, snapshot) ?? now) - now), REFUSED_LOOK_MS)
  const recheckAfterMs = Math.max(1, soonest)
  return decision.kind === 'hold'
    ? { ...decision, reasons, recheckAfterMs: Math.min(decision.recheckAfterMs, recheckAfterMs), later }
    : { kind: 'hold', reasons, recheckAfterMs, later }
}

function decideReading(reading: IngressReading, isHeld?: (action: ObjectAction) => boolean): ObjectDecision {
  const { snapshot } = reading
  if (!snapshot.isFresh) return decideIngress(snapshot)
  if (!snapshot.object.deleting) {
    const first = neededFirst(reading)
    if (first !== undefined) return { kind: 'act', ...first }
  }
  const ofNodes = withRefusal(withoutTaken(decideIngress(snapshot), reading), snapshot.rollbackRefused)
  if (snapshot.object.deleting) return ofNodes
  const decided = withChecker(ofNodes, healthChecker(reading))
  const rest = housekeeping(reading, isHeld)
  if (rest.reasons.length === 0) return decided
  const actions = [...rest.actions, ...(decided.kind === 'act' ? decided.actions : [])]
  const said = { reasons: [...rest.reasons, ...decided.reasons], later: [...(rest.later ?? []), ...laterOf(decided)] }
  if (actions.length > 0) return { kind: 'act', actions, ...said }
  return { kind: 'hold', recheckAfterMs: decided.kind === 'hold' ? decided.recheckAfterMs : REFUSED_LOOK_MS, ...said }
}

const laterOf = <A>(decision: LoopDecision<A>): readonly A[] =>
  decision.kind === 'settled' ? [] : (decision.later ?? [])

const CHECKER_AGAIN_MS = 30_000

/** The write for the health checker comes last, so a refused DaemonSet holds up no node. */
function withChecker(decision: ObjectDecision, checker: ReturnType<typeof healthChecker>): ObjectDecision {
  if (checker.reasons.length === 0) return decision
  if (decision.kind === 'act' || checker.actions.length > 0) {
    const actions = [...(decision.kind === 'act' ? decision.actions : []), ...checker.actions]
    return { kind: 'act', actions, reasons: [...decision.reasons, ...checker.reasons], later: laterOf(decision) }
  }
  if (decision.kind === 'settled') return { kind: 'hold', reasons: checker.reasons, recheckAfterMs: CHECKER_AGAIN_MS }
  return { ...decision, reasons: [...decision.reasons, ...checker.reasons] }
}

/** A refused rollback is reported even if no node waits for it. */
function withRefusal(decision: ObjectDecision, refusal: Reason | undefined): ObjectDecision {
  if (refusal === undefined || decision.reasons.some(({ code }) => code === refusal.code)) return decision
  const reasons = [...decision.reasons, refusal]
  return decision.kind === 'settled'
    ? { kind: 'hold', reasons: [refusal], recheckAfterMs: REFUSED_AGAIN_MS }
    : { ...decision, reasons }
}

function refused({ name, findings, back }: Extract<ObjectReading, { kind: 'refused' }>): ObjectDecision {
  const reasons = findings
    .filter(({ severity }) => severity === 'error')
    .map((finding) => findingReason({ code: 'IngressRefused', object: name }, finding))
  if (back?.kind === 'done')
    return { kind: 'act', actions: [{ kind: 'rollBack', ...back.to }], reasons: [...reasons, back.reason] }
  return {
    kind: 'hold',
    reasons: back === undefined ? reasons : [...reasons, back.reason],
    recheckAfterMs: REFUSED_AGAIN_MS,
  }
}

const TAKEN_AGAIN_MS = 30_000

/** Removes the creates whose names are taken by objects of others, which are never written to. */
function withoutTaken(decision: ReturnType<typeof decideIngress>, reading: IngressReading): ObjectDecision {
  const taken = takenNames(reading)
  if (taken.length === 0) return decision
  const reasons = taken.map(({ reason }) => reason)
  const isHeld = (action: IngressAction): boolean =>
    'node' in action && taken.some(({ node, makes }) => makes === action.kind && node === action.node)
  const said = { reasons: [...reasons, ...decision.reasons], later: laterOf(decision).filter((one) => !isHeld(one)) }
  const actions = decision.kind === 'act' ? decision.actions.filter((action) => !isHeld(action)) : []
  if (actions.length > 0) return { kind: 'act', actions, ...said }
  const recheckAfterMs = decision.kind === 'hold' ? decision.recheckAfterMs : TAKEN_AGAIN_MS
  return { kind: 'hold', recheckAfterMs, ...said }
}
