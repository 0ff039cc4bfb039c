import { type Reason, waitOf } from '../../ground/model/reason.ts'
import { SLOT_LONGEST_MS } from '../../ground/model/slot.ts'
import { monoMs } from '../../ground/model/time.ts'
import { actionKey } from '../../service/model/action.ts'
import type { Decision } from '../model/decision.ts'
import { STEPS } from '../model/step.ts'
import type { Verdict } from '../model/verdict.ts'
import { laddersEndAt } from './drain/blocked-ladder.ts'
import { DRAIN_STAGES } from './drain/classify-pod.ts'
import { drainState } from './drain/stages.ts'
import type { Evidence, Stuck, WaitClass } from './evidence.ts'
import { hasCurrent, type NodeSnapshot } from './node-snapshot.ts'
import type { RollSnapshot } from './snapshot.ts'
import type { StepDecision } from './step-rule.ts'
import { isUnheard, stoodStill } from './stood-still.ts'
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

export function stuck(s: RollSnapshot, decision: StepDecision): Partial<Evidence> {
  const { podsLeft } = s.evidence
  const left = decision.step === 'drain' && hasCurrent(s) ? podsToLeave(s) : podsLeft
  const reasons = decision.kind === 'hold' ? decision.reasons : triedAgain(s, decision)
  return { podsLeft: Math.min(podsLeft, left), ...waitedSince(s, { ...decision, reasons }, left < podsLeft) }
}

function podsToLeave(s: NodeSnapshot): number {
  const { left, refused } = drainState(s)
  return refused.length + DRAIN_STAGES.reduce((sum, stage) => sum + left[stage].length, 0)
}

/**
 * Stuck is a hold without progress. Progress is a step that is later than all before, or what the caller says. What was done is none: it
 * may be undone each time. Each kind of wait has a time of its own, which stands still while it waits for something else.
 *
 * Law: a limit counts from when its wait began, stands still while the roll may not act or cannot know, and never begins anew without
 * progress.
 */
export function waitedSince(s: AnySnapshot, pass: Pass, isProgress: boolean): Stuck {
  const { now, evidence } = s
  const { stuckSince = now, stuckStep, stuckFor, waitedMs = {} } = evidence
  const { step, reasons } = pass
  const isLater = stuckStep === undefined || STEPS.indexOf(step) > STEPS.indexOf(stuckStep)
  if (isLater || isProgress)
    return {
      stuckStep: isLater ? step : stuckStep,
      stuckSince: now,
      stuckReasons: [],
      stuckFor: undefined,
      waitedMs: {},
    }
  const waitsFor = classOf(reasons)
  if (waitsFor !== 'window' && (isByLaw(pass) || isUnheard(s)))
    return { stuckStep, stuckSince: stoodStill(s, stuckSince), stuckReasons: [], stuckFor, waitedMs }
  const same = { stuckStep, stuckReasons: reasons, stuckFor: waitsFor }
  if (stuckFor === undefined || stuckFor === waitsFor) return { ...same, stuckSince, waitedMs }
  // The next window is another one.
  const before = stuckFor === 'window' ? waitedMs : { ...waitedMs, [stuckFor]: now - stuckSince }
  return { ...same, stuckSince: monoMs(now - (before[waitsFor] ?? 0)), waitedMs: before }
}

type Pass = Pick<StepDecision, 'kind' | 'step' | 'reasons'>

/** What only takes its course may take longer than what is refused, and the file says how long the others are waited for. */
function classOf(reasons: readonly Reason[]): WaitClass {
  const waits = reasons.map(waitOf)
  if (waits.includes('window')) return 'window'
  if (waits.includes('baseline')) return 'baseline'
  return waits.every((wait) => wait === 'in course' || wait === 'none') ? 'in course' : 'blocked'
}

export const heldUp = (s: RollSnapshot, decision: StepDecision): Partial<Evidence> =>
  decision.kind === 'hold' && isAnnounced(s) ? away(s, decision) : {}

/** A machine that got no command yet is not away, as long as it waits for what is waited for by law. */
export function away(s: RollSnapshot, decision: StepDecision): Pick<Evidence, 'awaySince'> {
  const { awaySince = s.now } = s.evidence
  if (isByLaw(decision) && isUnsent(s)) return { awaySince: isUnheard(s) ? awaySince : stoodStill(s, awaySince) }
  return isByLaw(decision) && decision.step !== 'reboot' ? {} : { awaySince }
}

/** This process announced the reboot, and no command reached the machine. */
export const isUnsent = ({ evidence: { intentByUs, reboot } }: RollSnapshot): boolean =>
  intentByUs && (reboot === undefined || reboot.answer.kind === 'unsent')

const isByLaw = ({ kind, reasons }: Pick<Pass, 'kind' | 'reasons'>): boolean =>
  kind === 'hold' && reasons.some((reason) => waitOf(reason) === 'by law')

type Act = Extract<Decision, { kind: 'act' }>

/** What was said while it was waited for stands; where nothing was, what it was refused with. */
function triedAgain({ evidence }: RollSnapshot, { actions, reasons }: Act): readonly Reason[] {
  if (evidence.stuckReasons.length > 0 && !isApart(evidence)) return evidence.stuckReasons
  const errors = actions.flatMap((action) => evidence.retries[actionKey(action)]?.error ?? [])
  return errors.length === 0 ? reasons : errors.map((text) => ({ code: 'Retrying', text }))
}

const isApart = ({ stuckFor }: Evidence): boolean => stuckFor === 'window' || stuckFor === 'baseline'

/** Before the intent: what blocks may be waited for only so long; then everything is restored. */
export function blockedLimit(s: AnySnapshot): Verdict | undefined {
  const { stuckReasons: reasons = [] } = s.evidence
  return stuckLimitLeftMs(s) === 0 ? { kind: 'held', keepOut: false, reasons } : undefined
}

/** What is left of the wait for what holds now; undefined where nothing gives it up. */
export function stuckLimitLeftMs(s: AnySnapshot): number | undefined {
  const { stuckSince, stuckReasons = [] } = s.evidence
  if (stuckSince === undefined || stuckReasons.length === 0) return undefined
  const limitMs = Math.max(stuckLimitMs(s, stuckReasons), abandonedAfterMs(s, stuckReasons))
  if (limitMs === Number.POSITIVE_INFINITY) return undefined
  const endAt = (!isOfMachine(s) && hasCurrent(s) ? laddersEndAt(s) : undefined) ?? stuckSince + limitMs
  return Math.max(0, endAt - s.now)
}

/** The slot is asked for only after pauses: once to find that it is abandoned, and once more to take it. */
const ABANDONED_SLACK_MS = 30_000

/** A shorter limit would end each process before it can find that the owner of the slot is gone, and take the slot. */
const abandonedAfterMs = (s: AnySnapshot, reasons: readonly Reason[]): number =>
  reasons.some(({ code }) => code === 'SlotTaken' || code === 'SlotAbandoned') ? slotsLastMs(s) + ABANDONED_SLACK_MS : 0

/** A slot lasts for as long as its own Lease says, where that is longer: its owner goes by another file. Any program may write a Lease. */
function slotsLastMs(s: AnySnapshot): number {
  const slots = isOfMachine(s) ? [] : (s.budget?.slots ?? [])
  const theirs = slots.map(({ durationMs }) => Math.min(durationMs, SLOT_LONGEST_MS))
  return Math.max(s.spec.slots.leaseDurationMs, ...theirs)
}

function stuckLimitMs({ spec }: AnySnapshot, reasons: readonly Reason[]): number {
  switch (classOf(reasons)) {
    case 'window':
      return spec.window?.waitLimitMs ?? Number.POSITIVE_INFINITY
    case 'baseline':
      return spec.probe?.baselineLimitMs ?? 0
    case 'in course':
      return Math.max(spec.drain.stageLimitMs, spec.drain.blockedLimitMs)
    case 'blocked':
      return spec.drain.blockedLimitMs
  }
}
