import { formatDuration } from '../../../ground/model/duration.ts'
import { attachBegan, attach as attachNode, awaitingClaims, unattached } from '../../../service/decide/attach.ts'
import { hasCurrent } from '../node-snapshot.ts'
import { serviceOf } from '../service-of.ts'
import { keptOut, type StepRule } from '../step-rule.ts'
import { guardsOf } from './detach.ts'

/** Step 10: back into every load balancer, as the room of the service state has it. */
export const attach: StepRule = {
  step: 'attach',
  next: (s) => attachNode(serviceOf(s), guardsOf(s)),
  remember: (s) => ({ ...attachBegan(s.evidence, s), ...(hasCurrent(s) ? awaitingClaims(serviceOf(s)) : {}) }),
  limit(s) {
    const { attachingSince: since, attachedAt } = s.evidence
    if (attachedAt !== undefined || since === undefined || s.now - since < s.spec.attach.limitMs) return undefined
    const { name } = s.current.node
    const text = `${name} was not in service again on every instance of its balancers within the limit (${formatDuration(s.spec.attach.limitMs)})`
    return keptOut({ code: 'NotUp', object: name, text }, unattached(serviceOf(s)))
  },
}
