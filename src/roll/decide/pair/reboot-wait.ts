import type { Reason } from '../../../ground/model/reason.ts'
import { actOn, type HostDecision, holdAt } from './host-decision.ts'
import { mayTouch, othersCarry } from './host-guards.ts'
import { recordOfHost } from './host-memory.ts'
import type { HostSnapshot } from './host-snapshot.ts'
import { moveAway, stillHere } from './leave.ts'
import { addressesHere, answersSince } from './pair-state.ts'

const MOVE_AGAIN_MS = 30_000

/**
 * The reboot is announced: it is waited for another boot id. A command that may have arrived is sent again only after
 * `reboot.resendAfter`, to a machine that answers with the recorded boot id and has no address again.
 */
export function rebootWait(s: HostSnapshot): HostDecision {
  const { evidence, memory, now, spec } = s
  const since = evidence.reboot?.at ?? evidence.rebootSince ?? now
  const own = s.machines.find(({ machine }) => machine.name === s.host.name)
  const isThere = own !== undefined && answersSince(own, since)
  if (!isThere || now - since < spec.reboot.resendAfterMs) return holdAt('reboot', [waiting(s)])
  const { moved } = evidence
  const isTold = moved?.to === 'away' && now - moved.at < MOVE_AGAIN_MS
  if (addressesHere(s).length > 0 && !isTold) return moveAway(s)
  const against = [...mayTouch(s), ...othersCarry(s), ...stillHere(s)]
  return against.length > 0
    ? holdAt('reboot', against)
    : actOn(
        'reboot',
        { kind: 'reboot', bootId: recordOfHost(memory).bootId },
        {
          code: 'RebootUnheard',
          text: 'no other boot id was seen since the command',
        },
      )
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
