import type { Reason } from '../../../model/reason.ts'
import { actOn, type HostDecision, holdAt } from './host-decision.ts'
import { recordOfHost } from './host-memory.ts'
import type { HostSnapshot } from './host-snapshot.ts'
import { answersSince } from './pair-state.ts'

/**
 * The reboot is announced: it is waited for another boot id. A command that may have arrived is sent again only after
 * `reboot.resendAfter`, to a machine that answers with the recorded boot id.
 */
export function awaitReboot(s: HostSnapshot): HostDecision {
  const { evidence, memory, now, spec } = s
  const since = evidence.reboot?.at ?? evidence.rebootSince ?? now
  const own = s.machines.find(({ machine }) => machine.name === s.host.name)
  const isThere = own !== undefined && answersSince(own, since)
  if (isThere && now - since >= spec.reboot.resendAfterMs)
    return actOn(
      'reboot',
      { kind: 'reboot', bootId: recordOfHost(memory).bootId },
      {
        code: 'RebootUnheard',
        text: 'no other boot id was seen since the command',
      },
    )
  return holdAt('reboot', [waiting(s)])
}

export function waiting({ host, evidence: { reboot } }: HostSnapshot): Reason {
  const object = host.name
  switch (reboot?.answer.kind) {
    case 'sent':
    case 'otherBoot':
      return {
        code: 'HostRebooting',
        object,
        text: `${object} is rebooting; it has not answered with another boot id yet`,
      }
    case 'refused':
      return { code: 'RebootRefused', object, text: `${object} refused the reboot: ${reboot.answer.text}` }
    case 'unknown':
      return {
        code: 'RebootUnknown',
        object,
        text: `it is unknown whether ${object} got the reboot command: ${reboot.answer.text}`,
      }
    case undefined:
      return { code: 'RebootUnknown', object, text: `it is unknown whether ${object} got an earlier reboot command` }
  }
}
