import { formatDuration } from '../../../ground/model/duration.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import { BLOCKED_ANNOTATION, type Pod } from '../../../ground/model/pod.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { kubectl } from '../../../ground/model/sentence.ts'
import type { BlockedSpec } from '../../model/roll-spec.ts'
import type { RecordedSnapshot } from '../node-snapshot.ts'
import { isRefusal, ladderOf, type OnLadder } from './blocked-ladder.ts'
import { stageOf } from './classify-pod.ts'
import { isReleased, type PoliteAnswer } from './polite-steps.ts'

/** The next step for a pod that may not leave, by its ladder; without a ladder, the answer that it has already. */
export function onLadder(s: RecordedSnapshot, pod: Pod, answer: PoliteAnswer): PoliteAnswer {
  const isRefused = 'reason' in answer && answer.reason.code === 'PodRefused'
  const ladder = ladderOf(s, pod, isRefused ? s.now : undefined)
  if (ladder === undefined || !isHeld(pod, answer, ladder)) return answer
  if (ladder.rung === 'delete') return mayBeDeleted(s, pod, answer) ? deletion(s, pod) : answer
  if (!('reason' in answer)) return answer
  return { kind: answer.kind, reason: reasonOn(ladder, pod, answer.reason) }
}

/**
 * The pod's own eviction is refused, and it does not wait for another pod that leaves first. How long a replacement may take is
 * the time of the rung `surge`: without that rung, a pod that leaves politely is never deleted while its replacement starts.
 */
function isHeld(pod: Pod, answer: PoliteAnswer, { spec }: OnLadder): boolean {
  if (isReleased(pod))
    return answer.kind === 'blocked' && (spec.surgeMs !== undefined || answer.reason.object === refKey(pod))
  if (answer.kind === 'leave') return true
  return 'reason' in answer && answer.reason.object === refKey(pod) && answer.reason.code !== 'PodLeaving'
}

/** One pod of a workload at a time: the pod could be evicted now, but that is refused. */
function mayBeDeleted(s: RecordedSnapshot, pod: Pod, answer: PoliteAnswer): boolean {
  if (isReleased(pod)) return true
  const last = s.evidence.evictions[pod.uid]
  return answer.kind === 'leave' && last !== undefined && isRefusal(last)
}

/** The deletion of a pod whose ladder is at its end. */
export function deletion(s: RecordedSnapshot, pod: Pod): PoliteAnswer {
  const { namespace, name, uid } = pod
  const retry = s.evidence.retries[`deletePod ${uid}`]
  if (retry === undefined || retry.notBefore <= s.now) {
    const stage = stageOf(pod, s.spec.drain)
    return { kind: 'act', action: { kind: 'deletePod', node: s.current.node.name, namespace, name, uid, stage } }
  }
  const object = refKey(pod)
  return {
    kind: 'blocked',
    reason: { code: 'DeleteRefused', object, text: `the deletion of ${object} is refused: ${retry.error}` },
  }
}

/** The reason names the pod, whatever its replacement lacks: its ladder decides how long the drain waits. */
function reasonOn(ladder: OnLadder, pod: Pod, reason: Reason): Reason {
  const { spec, rung } = ladder
  const object = refKey(pod)
  if (rung === 'ask') return question(ladder, pod, reason)
  const text = `${reason.text}${tried(ladder)}`
  if (rung === 'wait') {
    const next =
      spec.surgeMs !== undefined && ladder.noSurge === undefined ? 'a replacement is started first' : after(spec)
    return { ...reason, object, text: `${text}; it is waited for ${formatDuration(spec.waitMs)}, then ${next}` }
  }
  if (rung !== 'surge') return { ...reason, object, text }
  const inTime = `its replacement has ${formatDuration(spec.surgeMs ?? 0)} to be Ready`
  return { ...reason, object, text: `${text}; ${inTime}, then ${after(spec)}` }
}

const after = (spec: BlockedSpec): string =>
  spec.askMs === undefined ? atTheEnd(spec) : 'the roll waits for an answer'

const atTheEnd = (spec: BlockedSpec): string => (spec.delete ? 'it is deleted' : 'the drain is given up')

const tried = ({ noSurge }: OnLadder): string =>
  noSurge === undefined ? '' : `; no replacement can be started first, since ${noSurge}`

function question(ladder: OnLadder, pod: Pod, reason: Reason): Reason {
  const { namespace, name } = pod
  const limit = formatDuration(ladder.spec.askMs ?? 0)
  return {
    code: 'AnswerAwaited',
    object: refKey(pod),
    text: `${reason.text}${tried(ladder)}; set its annotation ${BLOCKED_ANNOTATION} to delete or wait; without an answer in ${limit} ${atTheEnd(ladder.spec)}${heard(pod)}`,
    next: kubectl`-n ${namespace} annotate --overwrite pod ${name} ${BLOCKED_ANNOTATION}=delete`,
  }
}

const SAID_MAX = 40

/** The answer was written by people, or by any program that may write pods. */
function heard({ blockedAnswer }: Pod): string {
  if (blockedAnswer === undefined) return ''
  if (blockedAnswer === 'wait')
    return '; the answer wait was heard, and that wait is over: take it off before the next answer'
  return `; ${JSON.stringify(blockedAnswer.slice(0, SAID_MAX))} is no answer`
}
