import type { Reason } from '../../ground/model/reason.ts'
import type { StepAnswer } from '../../service/decide/step-answer.ts'
import type { Decision } from '../model/decision.ts'
import type { Step } from '../model/step.ts'
import type { Verdict } from '../model/verdict.ts'
import type { Evidence } from './evidence.ts'
import type { NodeSnapshot, RecordedSnapshot } from './node-snapshot.ts'
import type { RollSnapshot } from './snapshot.ts'

/** What a pass decided at a step. */
export type StepDecision = Exclude<Decision, { kind: 'settled' }>

/**
 * One rung of the ladder. `next` is judged by what is true now, on every pass anew; the rest is about its waiting: what is
 * remembered of it, and when it is over. The class of a wait stands with its reason in the catalogue.
 */
export interface StepRule<S extends NodeSnapshot = RecordedSnapshot> {
  readonly step: Step
  next(s: S): StepAnswer
  /** What changes of the evidence once the pass has decided at this step. Also asked of a node that has no record any more. */
  remember?(s: RollSnapshot, decision: StepDecision): Partial<Evidence>
  /** The verdict once this step has waited for too long. */
  limit?(s: RecordedSnapshot): Verdict | undefined
}

/** A limit that leaves the node out: what is not proven, or not in service, is guarded. */
export const keptOut = (reason: Reason, more: readonly Reason[]): Verdict => ({
  kind: 'stopped',
  keepOut: true,
  reasons: [reason, ...more],
})
