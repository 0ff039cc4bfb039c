import type { SaidByExplain } from '../explain/ask-explain.ts'
import type { RollGround, Spec } from '../roll-ground/roll-ground.ts'

/** A cluster with `whoami` behind a balancer, on which a roll of one node meets something bad. */
export interface TroubleGround {
  readonly world: RollGround
  /** What the roll.yaml has here beside the spec of a row. */
  readonly spec: Spec
  /** A person types `evenkeel explain …` on the machine with the journal of the roll. */
  explain(line: string): Promise<SaidByExplain>
  /** From now on an admission policy refuses each change of the labels of a pod, or does no more. */
  refuseLabels(isRefused: boolean): Promise<void>
  /** Every pod of `whoami` is Ready, and every server up. */
  settled(): Promise<void>
}
