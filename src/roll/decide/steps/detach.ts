import { detach as detachNode } from '../../../service/decide/detach.ts'
import type { ServiceGuards } from '../../../service/decide/service-snapshot.ts'
import { beforeReboot } from '../blocked.ts'
import { dnsWell } from '../dns/dns-leaving.ts'
import { addressOwn, mayDisrupt, slotLive } from '../guards.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { serviceOf } from '../service-of.ts'
import type { StepRule } from '../step-rule.ts'

/** The guards of a roll for taking its node out, and for putting it back in. */
export const guardsOf = (s: NodeSnapshot): ServiceGuards => ({
  maySend: () => [...slotLive(s), ...addressOwn(s)],
  mayDisrupt: () => mayDisrupt(s),
  mayTake: () => dnsWell(s),
})

/** Step 4: out of every load balancer, as the room of the service state has it. */
export const detach: StepRule = {
  step: 'detach',
  next: (s) => detachNode(serviceOf(s), guardsOf(s)),
  remember: beforeReboot,
}
