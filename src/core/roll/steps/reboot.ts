import type { RebootAnswer } from '../../../model/host.ts'
import type { Reason } from '../../../model/reason.ts'
import { act, done, hold, RECHECK_MS } from '../../step-answer.ts'
import { mayDisrupt } from '../guards.ts'
import { hasRebooted, ownIntent, type RecordedSnapshot } from '../node-snapshot.ts'
import type { StepRule } from '../step-rule.ts'

/**
 * Step 6: the intent is on the node, then the command was sent. Not knowing whether it was sent (a cut connection, a
 * new process) means waiting for another boot id, or the limit, before it is sent again.
 */
export const reboot: StepRule = {
  step: 'reboot',
  next(s) {
    if (hasRebooted(s)) return done
    const { node } = s.current
    const refusals = mayDisrupt(s)
    if (ownIntent(s) === undefined) {
      if (refusals.length > 0) return hold(refusals)
      return act([{ kind: 'writeIntent', node: node.name, bootId: s.record.bootId }], {
        code: 'NoIntent',
        text: 'the reboot is not announced on the node yet',
      })
    }
    const sent = s.evidence.reboot
    const waitedMs = s.now - (sent?.at ?? s.evidence.awaySince ?? s.now)
    const mustSend = sent === undefined && s.evidence.intentByUs
    if (!mustSend && waitedMs < s.spec.reboot.resendAfterMs) return hold([waiting(node.name, sent?.answer)], RECHECK_MS)
    if (sent?.answer.kind === 'sent' && node.ready !== 'True')
      return hold([waiting(node.name, sent.answer)], RECHECK_MS)
    if (refusals.length > 0) return hold(refusals)
    if (!node.unschedulable) return act([{ kind: 'cordon', node: node.name }], uncordonedByOthers)
    return act([{ kind: 'sendReboot', node: node.name, bootId: s.record.bootId }], {
      code: mustSend ? 'RebootDue' : 'RebootUnheard',
      text: mustSend
        ? 'nothing is on the node that the reboot could hurt'
        : 'no other boot id was seen since the command',
    })
  },
}

/** What is known of a reboot after which no other boot id was seen, where it is not known to be under way. */
export function unreturned({ current, evidence }: RecordedSnapshot): readonly Reason[] {
  const answer = evidence.reboot?.answer
  return answer?.kind === 'sent' ? [] : [waiting(current.node.name, answer)]
}

const uncordonedByOthers: Reason = { code: 'UncordonedByOthers', text: 'somebody lifted the cordon meanwhile' }

function waiting(node: string, answer: RebootAnswer | undefined): Reason {
  switch (answer?.kind) {
    case 'sent':
      return { code: 'Rebooting', object: node, text: `${node} is rebooting; the API still shows its old boot id` }
    case 'otherBoot':
      return {
        code: 'BootIdNotPublished',
        object: node,
        text: `${node} bears another boot id; its kubelet has not said so yet`,
      }
    case 'refused':
      return { code: 'RebootRefused', object: node, text: `${node} refused the reboot: ${answer.text}` }
    case 'unknown':
      return { code: 'RebootUnknown', object: node, text: `whether ${node} got the reboot is unknown: ${answer.text}` }
    case undefined:
      return { code: 'RebootUnknown', object: node, text: `whether ${node} got the reboot before is unknown` }
  }
}
