import type { Decision } from '../model/decision.ts'
import type { Step } from '../model/step.ts'
import type { Evidence } from './evidence.ts'
import { gatesHeld, gateWait } from './gates/gates-held.ts'
import type { RollSnapshot } from './snapshot.ts'
import type { StepRule } from './step-rule.ts'
import { attach } from './steps/attach.ts'
import { cordon } from './steps/cordon.ts'
import { detach } from './steps/detach.ts'
import { drain } from './steps/drain.ts'
import { proof } from './steps/proof.ts'
import { reboot } from './steps/reboot.ts'
import { record } from './steps/record.ts'
import { settle } from './steps/settle.ts'
import { slot } from './steps/slot.ts'
import { soak } from './steps/soak.ts'
import { uncordon } from './steps/uncordon.ts'

/** What each step remembers of its own waiting, whichever of its rules has decided. */
const STEP_RULES: Readonly<Record<Step, Pick<StepRule, 'remember'>>> = {
  slot,
  record,
  cordon,
  detach,
  drain,
  reboot,
  proof,
  uncordon,
  settle,
  attach,
  soak,
}

/** Records when each kind of waiting began, and how often in a row a node was found settled. Pure. */
export function rememberDecision(s: RollSnapshot, decision: Decision): Evidence {
  const { evidence } = s
  if (decision.kind === 'settled') return evidence
  const remembered = STEP_RULES[decision.step].remember?.(s, decision)
  return { ...evidence, ...remembered, ...gatesHeld(s, decision), ...gateWait(s, decision), passedAt: s.now }
}
