import type { Reason } from '../../../ground/model/reason.ts'
import { hold } from '../../../service/decide/step-answer.ts'
import type { Decision } from '../../model/decision.ts'
import type { HostAction } from '../../model/host-pair.ts'
import type { Step } from '../../model/step.ts'
import type { HookAnswer } from '../hooks/hooks-due.ts'

/** How the work on a machine ends in this process. */
export type HostEnd = 'through' | 'restored' | 'notTouched' | 'keptOut'

export type HostDecision =
  | Exclude<Decision<HostAction>, { readonly kind: 'settled' }>
  | { readonly kind: 'settled'; readonly end: HostEnd; readonly reasons: readonly Reason[] }

export const actOn = (step: Step, action: HostAction | readonly HostAction[], reason: Reason): HostDecision => ({
  kind: 'act',
  step,
  actions: 'kind' in action ? [action] : action,
  reasons: [reason],
})

export const holdAt = (step: Step, reasons: readonly Reason[]): HostDecision => ({ ...hold(reasons), step })

/** What a node and a machine are asked alike, at a step of the machine. */
export const atStep = (step: Step, answer: HookAnswer | undefined): HostDecision | undefined =>
  answer && { ...answer, step }
