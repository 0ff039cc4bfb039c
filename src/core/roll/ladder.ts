import { attach as attachNode } from '../service/attach.ts'
import { detach as detachNode } from '../service/detach.ts'
import type { ServiceGuards } from '../service/service-snapshot.ts'
import { dnsWell } from './dns/dns-leaving.ts'
import { mayDisrupt, slotLive } from './guards.ts'
import type { NodeSnapshot, RecordedSnapshot } from './node-snapshot.ts'
import { serviceOf } from './service-of.ts'
import type { StepRule } from './step-rule.ts'
import { cordon } from './steps/cordon.ts'
import { drain } from './steps/drain.ts'
import { proof } from './steps/proof.ts'
import { reboot } from './steps/reboot.ts'
import { record } from './steps/record.ts'
import { settle } from './steps/settle.ts'
import { listsAwaited, slot, slotHeld } from './steps/slot.ts'
import { soak } from './steps/soak.ts'
import { uncordon } from './steps/uncordon.ts'

/** What a roll has against taking its node out, or putting it back in. */
const guardsOf = (s: NodeSnapshot): ServiceGuards => ({
  maySend: () => slotLive(s),
  mayDisrupt: () => mayDisrupt(s),
  mayTake: () => dnsWell(s),
})

/** Step 4. */
export const detach: StepRule = { step: 'detach', next: (s) => detachNode(serviceOf(s), guardsOf(s)) }

/** Step 10. */
export const attach: StepRule = { step: 'attach', next: (s) => attachNode(serviceOf(s), guardsOf(s)) }

/** Before anything is on the node. */
export const BEGIN: readonly StepRule<NodeSnapshot>[] = [slot, record]

/**
 * Something was not listed even once. The standing duty needs the slot and nothing of the lists; every further step would
 * take what was not listed for what is not there.
 */
export const KEEPING_OUT: readonly StepRule<RecordedSnapshot>[] = [slotHeld, listsAwaited]

/** Out of service, down to the reboot. */
export const GOING_DOWN: readonly StepRule<RecordedSnapshot>[] = [slot, cordon, detach, drain, reboot]

/** The intent is written: nothing before the reboot is asked for any more but that it happens, detached. */
export const MUST_REBOOT: readonly StepRule<RecordedSnapshot>[] = [slotHeld, detach, reboot]

/** Back, after a reboot. The order is law: uncordon, settle, attach, release. */
export const COMING_BACK: readonly StepRule<RecordedSnapshot>[] = [slotHeld, proof, uncordon, settle, attach, soak]

/** Back without a reboot: nothing to prove, the same way. */
export const RESTORING: readonly StepRule<RecordedSnapshot>[] = [slotHeld, uncordon, settle, attach, soak]
