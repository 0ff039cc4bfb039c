import { isUnsent } from './blocked.ts'
import { hasRebooted, type NodeSnapshot, ownIntent, type RecordedSnapshot } from './node-snapshot.ts'
import type { StepRule } from './step-rule.ts'
import { attach } from './steps/attach.ts'
import { cordon, cordonAgain } from './steps/cordon.ts'
import { detach } from './steps/detach.ts'
import { drain } from './steps/drain.ts'
import { politeEnd } from './steps/polite-end.ts'
import { proof } from './steps/proof.ts'
import { reboot } from './steps/reboot.ts'
import { record } from './steps/record.ts'
import { settle } from './steps/settle.ts'
import { listsAwaited, slot, slotHeld } from './steps/slot.ts'
import { soak } from './steps/soak.ts'
import { uncordon } from './steps/uncordon.ts'

/** Before anything is on the node. */
export const BEGIN: readonly StepRule<NodeSnapshot>[] = [slot, record]

/**
 * Something was not listed even once. KeepOutDuty needs the slot and no list. Every further step would take what was not listed for
 * what is not there.
 *
 * Law: a process that resumes a run does nothing but keep its node out until everything was listed once.
 */
export const KEEPING_OUT: readonly StepRule<RecordedSnapshot>[] = [slotHeld, listsAwaited]

/** Out of service, down to the reboot. */
const GOING_DOWN: readonly StepRule<RecordedSnapshot>[] = [slot, cordon, detach, drain, reboot]

/** The intent is written: the node has to be rebooted, and has to be detached when that happens. */
const MUST_REBOOT: readonly StepRule<RecordedSnapshot>[] = [slotHeld, detach, reboot]

/** The same, and people took the cordon off meanwhile: pods that came since leave before the command. */
const REOPENED: readonly StepRule<RecordedSnapshot>[] = [slotHeld, cordonAgain, detach, drain, reboot]

/** Back, after a reboot. The order is law: uncordon, settle, attach, release. */
const COMING_BACK: readonly StepRule<RecordedSnapshot>[] = [slotHeld, proof, politeEnd, uncordon, settle, attach, soak]

/** Back without a reboot: nothing to prove, the same way. */
const RESTORING: readonly StepRule<RecordedSnapshot>[] = [slotHeld, politeEnd, uncordon, settle, attach, soak]

/** Steps are judged by what is true now; which ladder they belong to follows from boot id, intent and verdict. */
export function ladderOf(s: RecordedSnapshot): readonly StepRule<RecordedSnapshot>[] {
  if (hasRebooted(s)) return COMING_BACK
  const announced = ownIntent(s) !== undefined
  // A Node that registered anew takes pods again, which leave before the command.
  const isToDrain = isUnsent(s) || (s.evidence.announcedAgain === true && s.evidence.reboot === undefined)
  if (announced && isToDrain && s.run.verdict === undefined) return GOING_DOWN
  // Nothing is evicted from a machine that hangs: a pod there never ends.
  if (announced) return s.evidence.reopened === true && s.current.node.ready === 'True' ? REOPENED : MUST_REBOOT
  return s.run.verdict === undefined ? GOING_DOWN : RESTORING
}
