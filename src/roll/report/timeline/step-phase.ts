import type { Step } from '../../model/step.ts'

/** What a step means for the service of its node: the five colours of the page, and steps without a colour. */
export type StepPhase = 'leave' | 'drain' | 'away' | 'return' | 'wait'

const PHASES: Readonly<Record<Step, StepPhase>> = {
  slot: 'wait',
  record: 'leave',
  cordon: 'leave',
  detach: 'leave',
  drain: 'drain',
  reboot: 'away',
  proof: 'away',
  uncordon: 'return',
  settle: 'return',
  attach: 'return',
  soak: 'wait',
}

export const phaseOf = (step: Step): StepPhase => PHASES[step]
