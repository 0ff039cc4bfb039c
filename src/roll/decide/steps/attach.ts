import { formatDuration } from '../../../ground/model/duration.ts'
import {
  attachBegan,
  attach as attachNode,
  awaitingClaims,
  isSeenAway,
  unattached,
} from '../../../service/decide/attach.ts'
import type { Evidence } from '../evidence.ts'
import { hasCurrent, type NodeSnapshot } from '../node-snapshot.ts'
import { serviceOf } from '../service-of.ts'
import { keptOut, type StepRule } from '../step-rule.ts'
import { guardsOf } from './detach.ts'

/**
 * Step 10: back into every load balancer, as the room of the service state has it. Where a server goes down again in the soak, the rest
 * of the limit is left for it.
 */
export const attach: StepRule = {
  step: 'attach',
  next: (s) => attachNode(serviceOf(s), guardsOf(s)),
  remember: (s) => ({
    ...attachBegan(s.evidence, s),
    ...(hasCurrent(s) ? { ...awaitingClaims(serviceOf(s)), ...unattachedNow(s) } : {}),
  }),
  limit(s) {
    const { attachingSince, attachDueSince: since = attachingSince } = s.evidence
    if (since === undefined || s.now - since < s.spec.attach.limitMs) return undefined
    const against = unattached(serviceOf(s))
    if (against.length === 0) return undefined
    const { name } = s.current.node
    const text = `${name} was not in service again on every instance of its balancers within the limit (${formatDuration(s.spec.attach.limitMs)})`
    return keptOut({ code: 'NotUp', object: name, text }, against)
  },
}

/** An instance that is silent shows nothing, so it does not end the time in which the node served. */
function unattachedNow(s: NodeSnapshot): Pick<Evidence, 'unattachedAt' | 'unattachedAtWall'> {
  const isAway = s.evidence.attachedAt !== undefined && isSeenAway(serviceOf(s))
  return isAway ? { unattachedAt: s.now, unattachedAtWall: s.wall } : {}
}
