import { formatDuration } from '../../../ground/model/duration.ts'
import type { RebootAnswer } from '../../../ground/model/host.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { evenkeel, say } from '../../../ground/model/sentence.ts'
import { act, done, hold, RECHECK_MS } from '../../../service/decide/step-answer.ts'
import { away, isUnsent, stuck } from '../blocked.ts'
import { controlPlaneKept } from '../control-plane.ts'
import type { Evidence } from '../evidence.ts'
import { mayDisrupt } from '../guards.ts'
import { hasRebooted, ownIntent, type RecordedSnapshot } from '../node-snapshot.ts'
import { othersWork } from '../others-work.ts'
import { beforeReboot } from '../requests.ts'
import type { RollSnapshot } from '../snapshot.ts'
import { keptOut, type StepRule } from '../step-rule.ts'
import { isAnnounced } from '../subject.ts'
import { uncordonedByOthers } from './cordon.ts'

/**
 * Step 6: the intent is on the node, then the command was sent. Where it is not known whether it was sent (a cut connection, a new
 * process), the step waits for another boot id, or for a limit, before it sends again.
 *
 * Law: a lost connection is not knowing whether the reboot was sent, and not knowing is waited for.
 */
export const reboot: StepRule = {
  step: 'reboot',
  next(s) {
    if (hasRebooted(s)) return done
    const { node } = s.current
    const refusals = mayDisrupt(s)
    if (ownIntent(s) === undefined) {
      const against = [...refusals, ...controlPlaneKept(s), ...othersWork(s)]
      if (against.length > 0) return hold(against)
      const requests = beforeReboot(s)
      if (requests !== undefined) return requests
      return act([{ kind: 'writeIntent', node: node.name, bootId: s.record.bootId }], {
        code: 'NoIntent',
        text: 'the reboot is not announced on the node yet',
      })
    }
    if (s.current.intentLost === true)
      return act([{ kind: 'writeIntent', node: node.name, bootId: s.record.bootId, again: true }], intentLost)
    const sent = s.evidence.reboot
    const waitedMs = s.now - (sent?.at ?? s.evidence.awaySince ?? s.now)
    const mustSend = isUnsent(s)
    const isDue = sent === undefined && mustSend
    if (!isDue && waitedMs < resendAfterMs(s, sent?.answer)) return hold([waitingFor(s, sent?.answer)], RECHECK_MS)
    if (sent?.answer.kind === 'sent' && node.ready !== 'True')
      return hold([waiting(node.name, sent.answer)], RECHECK_MS)
    // What hangs may be what broke the control plane: its reboot is sent again all the same.
    const mayStillServe = mustSend || node.ready === 'True'
    const against = [...refusals, ...(mayStillServe ? controlPlaneKept(s) : [])]
    if (against.length > 0) return hold(against)
    if (!node.unschedulable) return act([{ kind: 'cordon', node: node.name }], uncordonedByOthers)
    return act([{ kind: 'sendReboot', node: node.name, bootId: s.record.bootId }], {
      code: mustSend ? 'RebootDue' : 'RebootUnheard',
      text: mustSend
        ? 'nothing is left on the node that the reboot could harm'
        : 'no other boot id was seen since the command',
    })
  },
  remember(s, decision) {
    if (!isAnnounced(s)) return stuck(s, decision)
    // Why a reboot that this process has announced was not sent yet.
    const unsent = isUnsent(s) && decision.kind === 'hold' ? decision.reasons : []
    return { ...away(s, decision), stuckSince: undefined, stuckReasons: unsent }
  },
  limit(s) {
    const since = s.evidence.awaySince
    if (!isAnnounced(s) || since === undefined || s.now - since < s.spec.reboot.returnLimitMs) return undefined
    const { stuckReasons } = s.evidence
    const reasons = stuckReasons.length > 0 ? stuckReasons : unreturned(s)
    return keptOut(isUnsent(s) ? heldUp(s) : notReturned(s), reasons)
  },
}

/** Other programs go by it, and the rebooter of the node obeys no command without it. */
const intentLost: Reason = {
  code: 'NoIntent',
  text: 'others took the announcement of the reboot off the node, and the reboot may come all the same',
}

const UNSENT_AGAIN_MS = 5_000

/**
 * How long after a command another one is sent, for a node or a machine. The command does nothing on a machine with another boot id, so
 * one that may have got lost is sent again while there is time left for the machine to come back.
 */
export function resendAfterMs({ spec: { reboot } }: Pick<RollSnapshot, 'spec'>, answer?: RebootAnswer): number {
  if (answer?.kind === 'sent') return reboot.resendAfterMs
  const whileInTimeMs = Math.min(reboot.resendAfterMs, reboot.returnLimitMs / 2)
  return answer?.kind === 'unsent' ? Math.min(UNSENT_AGAIN_MS, whileInTimeMs) : whileInTimeMs
}

type Answered = NonNullable<Evidence['reboot']>

/** A command that was not sent says nothing about the one before it. */
export const answeredReboot = (before: Answered | undefined, { at, answer }: Answered): Answered =>
  answer.kind === 'unsent' && before !== undefined ? { at, answer: before.answer } : { at, answer }

/** From the first command that may have arrived a node or a machine has its whole time, whatever delayed the command. */
export const isFirstReboot = (before: Answered | undefined, { answer }: Answered): boolean =>
  (before === undefined || before.answer.kind === 'unsent') && answer.kind !== 'unsent'

const heldUp = ({ current: { node }, spec }: RecordedSnapshot): Reason => ({
  code: 'RebootHeldUp',
  object: node.name,
  text: `the reboot of ${node.name} is announced, and could not be sent within the limit (${formatDuration(spec.reboot.returnLimitMs)})`,
  next: say`remove what held it up, then: ${evenkeel`roll resume`} (${node.name} got no command and still runs)`,
})

function notReturned({ current: { node }, run, evidence, spec }: RecordedSnapshot): Reason {
  const isRefused = evidence.reboot?.answer.kind === 'refused'
  return {
    code: 'NodeDidNotReturn',
    object: node.name,
    text: `${node.name} did not come back with another boot id within the limit (${formatDuration(spec.reboot.returnLimitMs)})`,
    next: isRefused
      ? say`allow the reboot of ${node.name}, or correct "reboot" in the file: ${evenkeel`roll resume ${run.id} -f roll.yaml`}`
      : say`start ${node.name} again, then: ${evenkeel`roll resume`}`,
  }
}

/** A machine that may reboot, and whose client has not done it yet, has got no command. */
function waitingFor({ current: { node }, spec }: RecordedSnapshot, answer: RebootAnswer | undefined): Reason {
  if (spec.reboot.kind !== 'fleetLock' || answer?.kind !== 'sent' || node.ready !== 'True')
    return waiting(node.name, answer)
  const text = `${node.name} may reboot, and the client on it has not rebooted it yet`
  return { code: 'RebootAllowed', object: node.name, text }
}

/** Why no other boot id was seen. Empty where the reboot is known to be under way. */
function unreturned(s: RecordedSnapshot): readonly Reason[] {
  const answer = s.evidence.reboot?.answer
  const isUntried = answer === undefined && isUnsent(s)
  return answer?.kind === 'sent' || isUntried ? [] : [waiting(s.current.node.name, answer)]
}

function waiting(node: string, answer: RebootAnswer | undefined): Reason {
  switch (answer?.kind) {
    case 'sent':
      return { code: 'Rebooting', object: node, text: `${node} is rebooting; the API still shows its old boot id` }
    case 'otherBoot':
      return {
        code: 'BootIdNotPublished',
        object: node,
        text: `${node} has another boot id, and its kubelet has not reported it yet`,
      }
    default:
      return unsureOfReboot(node, answer)
  }
}

/** Of a node or a machine: it refused the command, it got none, or it is not known whether it got one. */
export function unsureOfReboot(
  object: string,
  answer: Extract<RebootAnswer, { kind: 'refused' | 'unsent' | 'unknown' }> | undefined,
): Reason {
  if (answer?.kind === 'refused')
    return { code: 'RebootRefused', object, text: `${object} refused the reboot: ${answer.text}` }
  if (answer?.kind === 'unsent')
    return { code: 'RebootUnsent', object, text: `the reboot command could not be sent to ${object}: ${answer.text}` }
  const what = answer === undefined ? 'an earlier reboot command' : `the reboot command: ${answer.text}`
  return { code: 'RebootUnknown', object, text: `it is unknown whether ${object} got ${what}` }
}
