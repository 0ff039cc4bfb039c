import type { Step } from '../../../../src/roll/model/step.ts'
import { type Fault, faultText } from './fault.ts'

/** Faults that come when a step begins or ends, so much later. */
export interface Cue {
  readonly step: Step
  readonly when: 'begins' | 'ends'
  /** The first such moment of the first roll, or the second. */
  readonly nth: 1 | 2
  readonly afterMs: number
  /** Times count from the moment of the cue. */
  readonly faults: readonly Fault[]
}

export const cueText = ({ step, when, nth, afterMs, faults }: Cue): string =>
  `${Math.round(afterMs)} ms after ${step} ${when}${nth === 1 ? '' : ' again'}: ${faults.map(faultText).join('; ')}`
