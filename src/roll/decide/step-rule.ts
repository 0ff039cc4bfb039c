import type { Reason } from '../../ground/model/reason.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { StepAnswer } from '../../service/decide/step-answer.ts'
import type { Action } from '../../service/model/action.ts'
import type { Decision } from '../model/decision.ts'
import type { MachineAction } from '../model/host-pair.ts'
import type { Step } from '../model/step.ts'
import type { Verdict } from '../model/verdict.ts'
import type { Evidence } from './evidence.ts'
import type { RecordedSnapshot } from './node-snapshot.ts'
import type { MachineSnapshot } from './pair/machine-snapshot.ts'
import type { RollSnapshot } from './snapshot.ts'

/** A decision that is not settled. */
export type AtStep<Effect> = Exclude<Decision<Effect>, { kind: 'settled' }>

/** What a pass over a node decided at a step. */
export type StepDecision = AtStep<Action>

/**
 * One rung of a ladder, of a node or of a machine. `next` is judged by what is true now, on every pass anew; the rest is about its
 * waiting: what is remembered of it, and when it is over. The class of a wait stands with its reason in the catalogue.
 */
export interface StepRule<S = RecordedSnapshot, Effect = Action> {
  readonly step: Step
  next(s: S): StepAnswer<Effect>
  /** What changes of the evidence once the pass has decided at this step. Also asked of a node that has no record any more. */
  remember?(s: RollSnapshot, decision: StepDecision): Partial<Evidence>
  /** The verdict once this step has waited for too long. */
  limit?(s: S): Verdict | undefined
}

/** At the first step whose postcondition does not hold. Undefined: all of them do. */
export function climb<S, Effect>(ladder: readonly StepRule<S, Effect>[], s: S): AtStep<Effect> | undefined {
  for (const rule of ladder) {
    const answer = rule.next(s)
    if (answer.kind !== 'done') return { ...answer, step: rule.step }
  }
  return undefined
}

/** The first of these steps that has waited for too long. */
export function overLimit<S, Effect>(ladder: readonly StepRule<S, Effect>[], s: S): Verdict | undefined {
  for (const rule of ladder) {
    const verdict = rule.limit?.(s)
    if (verdict !== undefined) return verdict
  }
  return undefined
}

/** A step of a machine of a load balancer. */
export type MachineRule = StepRule<MachineSnapshot, MachineAction>

/** A limit that leaves the node out: what is not proven, or not in service, is guarded. */
export const keptOut = (reason: Reason, more: readonly Reason[]): Verdict => ({
  kind: 'stopped',
  keepOut: true,
  reasons: [reason, ...more],
})

/** A wait that began at `since`, and has a limit that leaves the machine out. `since` is absent while nothing is waited for. */
export function overdue(
  { now }: Pick<MachineSnapshot, 'now'>,
  [since, limitMs]: readonly [since: MonoMs | undefined, limitMs: number],
  reasons: () => readonly Reason[],
): Verdict | undefined {
  if (since === undefined || now - since < limitMs) return undefined
  return { kind: 'stopped', keepOut: true, reasons: reasons() }
}
