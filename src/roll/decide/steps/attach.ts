import { formatDuration } from '../../../ground/model/duration.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import {
  attachBegan,
  attach as attachNode,
  awaitingClaims,
  isSeenAway,
  unattached,
} from '../../../service/decide/attach.ts'
import { done } from '../../../service/decide/step-answer.ts'
import type { Evidence } from '../evidence.ts'
import { hasCurrent, type NodeSnapshot, type RecordedSnapshot } from '../node-snapshot.ts'
import { serviceOf } from '../service-of.ts'
import { keptOut, type StepDecision, type StepRule } from '../step-rule.ts'
import { guardsOf } from './detach.ts'

/**
 * Step 10: back into every load balancer, as the room of the service state has it. Where a server goes down again in the soak, the rest
 * of the limit is left for it. A balancer that falls silent in the soak shows nothing against a node that served: that node is not taken
 * out of the balancers that answer. The roll ends held, and waits for the silent one no longer.
 */
export const attach: StepRule = {
  step: 'attach',
  next: (s) =>
    s.run.verdict !== undefined && servesUnheard(overdue(s), s) ? done : attachNode(serviceOf(s), guardsOf(s)),
  remember: (s, decision) => ({
    ...attachBegan(s.evidence, s, isUnsent(decision)),
    ...(hasCurrent(s) ? { ...awaitingClaims(serviceOf(s)), ...unattachedNow(s) } : {}),
  }),
  limit(s) {
    const against = overdue(s)
    if (against.length === 0) return undefined
    if (servesUnheard(against, s)) return { kind: 'held', keepOut: false, reasons: against }
    const { name } = s.current.node
    const text = `${name} was not in service again on every instance of its balancers within the limit (${formatDuration(s.spec.attach.limitMs)})`
    return keptOut({ code: 'NotUp', object: name, text }, against)
  },
}

/** No server is put back while an instance is silent, so no request fails because of it. */
const isUnsent = (decision: StepDecision | undefined): boolean =>
  decision?.kind === 'hold' && decision.reasons.some(({ code }) => code === 'InstanceSilent')

/** Why it is not attached, once its limit is over. */
function overdue(s: RecordedSnapshot): readonly Reason[] {
  const { attachingSince, attachDueSince: since = attachingSince } = s.evidence
  return since === undefined || s.now - since < s.spec.attach.limitMs ? [] : unattached(serviceOf(s))
}

/** It served everywhere, and nothing is against it since but that instances do not answer. */
const servesUnheard = (against: readonly Reason[], { evidence }: RecordedSnapshot): boolean =>
  evidence.attachedAt !== undefined && against.length > 0 && against.every(({ code }) => code === 'InstanceSilent')

/** An instance that is silent shows nothing, so it does not end the time in which the node served. */
function unattachedNow(s: NodeSnapshot): Pick<Evidence, 'unattachedAt' | 'unattachedAtWall'> {
  const isAway = s.evidence.attachedAt !== undefined && isSeenAway(serviceOf(s))
  return isAway ? { unattachedAt: s.now, unattachedAtWall: s.wall } : {}
}
