import type { Reason } from '../../../ground/model/reason.ts'
import { act, done, hold } from '../../../service/decide/step-answer.ts'
import type { Action } from '../../../service/model/action.ts'
import { stageOf } from '../drain/classify-pod.ts'
import { isGoing } from '../drain/pod-ending.ts'
import { giveBack, isReleased, isReplaced, isWritten, politeStep, type ReleasedPod } from '../drain/polite-steps.ts'
import { isLeaving } from '../drain/ready-pods.ts'
import { clusterHeard, followersBack } from '../guards.ts'
import type { RecordedSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'
import type { StepRule } from '../step-rule.ts'
import { evict } from './drain.ts'

/** A node is not kept out for labels that the API refuses again and again. */
const TRIES_MAX = 5

/**
 * Ends a polite drain on the way back of a node that is not to be drained any more: a pod that is replaced leaves, and any other one
 * gets its labels back. After this step no pod of the node is between the two.
 */
export const politeEnd: StepRule = {
  step: 'drain',
  next(s) {
    const pods = podsHere(s)
      .filter(isReleased)
      .filter((pod) => !pod.terminating && !isLeaving(s, pod) && !isGivenUp(s, pod))
    const unseen = podsHere(s).filter((pod) => !isReleased(pod) && isWritten(s, pod))
    if (pods.length + unseen.length === 0) return done
    const unheard = [...clusterHeard(s), ...followersBack(s)]
    if (unheard.length > 0) return hold(unheard)
    const actions: Action[] = []
    const waits: Reason[] = unseen.map((pod) => isGoing(s, pod))
    for (const pod of pods) {
      const answer = politeStep(s, pod)
      if (isWritten(s, pod) && answer.kind === 'wait') waits.push(answer.reason)
      else if (answer.kind === 'blocked' || !mayFinish(s, pod)) actions.push(giveBack(s, pod))
      else if (answer.kind === 'wait') waits.push(answer.reason)
      else
        actions.push(
          answer.kind === 'act' ? answer.action : { ...evict(s, pod, stageOf(pod, s.spec.drain)), polite: true },
        )
    }
    return actions.length === 0
      ? hold(waits)
      : act(actions, { code: 'PoliteEnd', text: 'released pods leave, or get their labels back' })
  },
}

/** A pod leaves only if the journal can be written first and its replacement serves. */
const mayFinish = (s: RecordedSnapshot, pod: ReleasedPod): boolean => s.journalWritable && isReplaced(s, pod)

const isGivenUp = ({ evidence }: RecordedSnapshot, { uid }: ReleasedPod): boolean =>
  (evidence.retries[`giveBackPod ${uid}`]?.failures ?? 0) >= TRIES_MAX
