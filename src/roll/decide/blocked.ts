import { type Reason, waitOf } from '../../ground/model/reason.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import { type Action, actionKey, removesPod } from '../../service/model/action.ts'
import type { Decision } from '../model/decision.ts'
import type { Verdict } from '../model/verdict.ts'
import { laddersEndAt } from './drain/blocked-ladder.ts'
import type { Evidence, Stuck } from './evidence.ts'
import { hasCurrent } from './node-snapshot.ts'
import { podsHere } from './pods-here.ts'
import type { RollSnapshot } from './snapshot.ts'
import type { StepDecision } from './step-rule.ts'
import { type AnySnapshot, isAnnounced, isOfMachine } from './subject.ts'

/**
 * What the steps before the reboot have in common: a hold without progress is counted, by the class of its reasons, and
 * given up in the end. Once the reboot is announced nothing is put back: what holds it up is waited for as long as the
 * machine.
 */
export const beforeReboot = (s: RollSnapshot, decision: StepDecision): Partial<Evidence> => ({
  ...stuck(s, decision),
  ...heldUp(s, decision),
})

export const stuck = (s: RollSnapshot, decision: StepDecision): Partial<Evidence> => {
  const left = hasCurrent(s) ? podsHere(s).length : 0
  const isProgress = left < s.evidence.podsLeft || isNewAct(s, decision)
  const reasons = decision.kind === 'hold' ? decision.reasons : triedAgain(s, decision)
  return { podsLeft: left, ...waitedSince(s, { ...decision, reasons }, isProgress) }
}

interface Waiting {
  readonly now: MonoMs
  readonly evidence: Stuck
}

/** Stuck is a hold without progress. Progress is what the caller says, and another step. */
export function waitedSince(
  { now, evidence: { stuckSince = now, stuckStep, stuckReasons = [] } }: Waiting,
  pass: Pick<StepDecision, 'kind' | 'step' | 'reasons'>,
  isProgress: boolean,
): Stuck {
  const { step, reasons } = pass
  const awaited = stuckReasons.some(isOfWindow)
  if (pass.kind === 'hold' && reasons.some(isOfWindow))
    return { stuckStep: step, stuckSince: awaited ? stuckSince : now, stuckReasons: reasons }
  // What is waited for in a window has had no time before it.
  const isAnew = awaited || step !== stuckStep || isProgress || isByLaw(pass)
  return isAnew
    ? { stuckStep: step, stuckSince: now, stuckReasons: [] }
    : { stuckStep: step, stuckSince, stuckReasons: reasons }
}

export const heldUp = (s: RollSnapshot, decision: StepDecision): Partial<Evidence> =>
  decision.kind === 'hold' && isAnnounced(s) ? away(s, decision) : {}

/** A machine that got no command yet is not away, as long as it waits for what is waited for by law. */
export function away(s: RollSnapshot, decision: StepDecision): Pick<Evidence, 'awaySince'> {
  if (isByLaw(decision) && isUnsent(s)) return { awaySince: undefined }
  return isByLaw(decision) && decision.step !== 'reboot' ? {} : { awaySince: s.evidence.awaySince ?? s.now }
}

export const isUnsent = ({ evidence }: RollSnapshot): boolean => evidence.intentByUs && evidence.reboot === undefined

/** It is waited for as long as the file says, and apart from everything else. */
const isOfWindow = (reason: Reason): boolean => waitOf(reason) === 'window'

const isByLaw = ({ kind, reasons }: Pick<StepDecision, 'kind' | 'reasons'>): boolean =>
  kind === 'hold' && reasons.some((reason) => waitOf(reason) === 'by law')

/** An eviction is none: the pod that leaves is. Nor is asking for a slot that another run has. */
function isNewAct({ evidence }: RollSnapshot, decision: StepDecision): boolean {
  if (decision.kind !== 'act') return false
  return decision.actions.some((action) => !isAsking(action) && !(actionKey(action) in evidence.retries))
}

const isAsking = (action: Action): boolean => action.kind === 'takeSlot' || removesPod(action)

type Act = Extract<Decision, { kind: 'act' }>

/** What was said while it was waited for stands; where nothing was, what it was refused with. */
function triedAgain({ evidence }: RollSnapshot, { actions, reasons }: Act): readonly Reason[] {
  if (evidence.stuckReasons.length > 0) return evidence.stuckReasons
  const errors = actions.flatMap((action) => evidence.retries[actionKey(action)]?.error ?? [])
  return errors.length === 0 ? reasons : errors.map((text) => ({ code: 'Retrying', text }))
}

/** Before the intent: what blocks may be waited for only so long; then everything is restored. */
export function blockedLimit(s: AnySnapshot): Verdict | undefined {
  const { stuckReasons: reasons = [] } = s.evidence
  return stuckLimitLeftMs(s) === 0 ? { kind: 'held', keepOut: false, reasons } : undefined
}

/** What is left of the wait for what holds now; undefined where nothing gives it up. */
export function stuckLimitLeftMs(s: AnySnapshot): number | undefined {
  const { stuckSince, stuckReasons = [] } = s.evidence
  if (stuckSince === undefined || stuckReasons.length === 0) return undefined
  const limitMs = stuckLimitMs(s, stuckReasons)
  if (limitMs === Number.POSITIVE_INFINITY) return undefined
  const endAt = (!isOfMachine(s) && hasCurrent(s) ? laddersEndAt(s) : undefined) ?? stuckSince + limitMs
  return Math.max(0, endAt - s.now)
}

/** What only takes its course may take longer than what is refused. */
function stuckLimitMs({ spec }: AnySnapshot, reasons: readonly Reason[]): number {
  const waits = reasons.map(waitOf)
  if (waits.includes('window')) return spec.window?.waitLimitMs ?? Number.POSITIVE_INFINITY
  if (waits.includes('baseline')) return spec.probe?.baselineLimitMs ?? 0
  const isInCourse = waits.every((wait) => wait === 'in course')
  return isInCourse ? Math.max(spec.drain.stageLimitMs, spec.drain.blockedLimitMs) : spec.drain.blockedLimitMs
}
