import type { Step } from '../../model/step.ts'
import type { StepAnswer } from '../step-answer.ts'
import type { NodeSnapshot, RecordedSnapshot } from './node-snapshot.ts'

/** One rung of the ladder. Judged by what is true now, on every pass anew. */
export interface StepRule<S extends NodeSnapshot = RecordedSnapshot> {
  readonly step: Step
  next(s: S): StepAnswer
}
