import { refKey } from '../../../ground/model/object-ref.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { workloadKey } from '../../../ground/model/workload.ts'
import { act, done, hold, type StepAnswer } from '../../../service/decide/step-answer.ts'
import { type Action, evictionKey } from '../../../service/model/action.ts'
import { OUT_TAINT } from '../../../service/model/node-record.ts'
import { beforeReboot } from '../blocked.ts'
import { strandedVolumes } from '../drain/attached-volumes.ts'
import { blockedSpec, ladderOf } from '../drain/blocked-ladder.ts'
import { deletion, onLadder } from '../drain/blocked-steps.ts'
import { evictionRefusal } from '../drain/budget-reasons.ts'
import { DRAIN_STAGES, type DrainStage, GUARD_STAGE } from '../drain/classify-pod.ts'
import { guardOf } from '../drain/guard-of.ts'
import { isGoing } from '../drain/pod-ending.ts'
import { isReleased, isWritten, type PoliteAnswer, politeStep, refused, released } from '../drain/polite-steps.ts'
import { isLeaving } from '../drain/ready-pods.ts'
import { notReplaced, replaced } from '../drain/replaced.ts'
import { replacerOf, replacersOf } from '../drain/replacer-of.ts'
import { drainState } from '../drain/stages.ts'
import { mayDisrupt, mayEvict } from '../guards.ts'
import type { RecordedSnapshot } from '../node-snapshot.ts'
import { returning } from '../returning.ts'
import type { StepRule } from '../step-rule.ts'

/**
 * Step 5, by stages. A stage is over when its pods are gone, each workload that lost one is back (or its replacement
 * can only run here), and the volumes its pods left behind are detached.
 */
export const drain: StepRule = {
  step: 'drain',
  next(s) {
    const view = drainState(s)
    if (view.refused.length > 0) return refusedPods(s, view.refused)
    for (const stage of DRAIN_STAGES) {
      const answer = drainStage(s, stage, view.left[stage])
      if (answer.kind !== 'done') return answer
    }
    return done
  },
  // Released pods are waited for on the way back, too.
  remember: (s, decision) => ({ ...beforeReboot(s, decision), ...returning(s, decision) }),
}

/** Pods that the drain refuses. No other pod leaves before all of them may. */
function refusedPods(s: RecordedSnapshot, pods: readonly Pod[]): StepAnswer {
  const asked = goingFirst(s, pods)
  const answers = pods.map((pod) => refusedStep(s, pod, asked))
  const waits = answers.flatMap((answer) => ('reason' in answer ? [answer.reason] : []))
  const actions = answers.flatMap((answer) => (answer.kind === 'act' ? [answer.action] : []))
  const isShut = pods.some((pod) => !isOnItsWay(s, pod) && ladderOf(s, pod)?.rung !== 'delete')
  if (isShut || actions.length === 0) return hold(waits)
  const refusals = mayEvict(s)
  const text = 'pods that cannot be evicted are deleted, as the roll file says'
  return refusals.length > 0 ? hold(refusals) : act(actions, { code: 'PodsHere', text })
}

function refusedStep(s: RecordedSnapshot, pod: Pod, asked: Map<string, string>): PoliteAnswer {
  const isChosen = blockedSpec(pod, s.spec.drain) !== undefined
  if (!isChosen || ladderOf(s, pod)?.rung !== 'delete') {
    const reason = isChosen && isOnItsWay(s, pod) ? isGoing(s, pod) : refusedReason(s, pod)
    return onLadder(s, pod, { kind: 'wait', reason })
  }
  const reason = mayLeave(s, pod, asked)
  return reason === undefined ? deletion(s, pod) : { kind: 'wait', reason }
}

function drainStage(s: RecordedSnapshot, stage: DrainStage, left: readonly Pod[]): StepAnswer {
  if (stage === 3 && (left.length > 0 || haveDaemonsLeft(s)) && !isShut(s)) return shutAgainstReturn(s)
  const waits: Reason[] = []
  const actions: Action[] = []
  const asked = goingFirst(s, left)
  for (const pod of left) {
    const answer = onLadder(s, pod, isReleased(pod) ? politeStep(s, pod) : firstStep(s, pod, asked))
    if ('reason' in answer) waits.push(answer.reason)
    else if (answer.kind === 'act') actions.push(answer.action)
    else actions.push({ ...evict(s, pod, stage), ...(isReleased(pod) ? { polite: true } : {}) })
  }
  const refusals = actions.length > 0 ? mayEvict(s) : []
  if (refusals.length > 0) return hold(refusals)
  if (actions.length > 0)
    return act(actions, {
      code: 'PodsHere',
      text: left.length === 1 ? `1 pod of stage ${stage} is here` : `${left.length} pods of stage ${stage} are here`,
    })
  waits.push(...workloadsNotBack(s), ...volumesHeld(s))
  return waits.length > 0 ? hold(unique(waits)) : done
}

function firstStep(s: RecordedSnapshot, pod: Pod, asked: Map<string, string>): PoliteAnswer {
  const refusal = isWritten(s, pod) ? isGoing(s, pod) : mayLeave(s, pod, asked)
  if (refusal !== undefined) return { kind: 'wait', reason: refusal }
  const release = released(s, pod)
  if (release === undefined) return { kind: 'leave' }
  return refused(s, pod, 'releasePod') ?? { kind: 'act', action: release }
}

/**
 * Workload → uid of its pod that goes first: whether that one leaves is not known, since the answer to its eviction was lost; or its
 * ReplicaSet has released it, also before a watch shows that.
 */
function goingFirst(s: RecordedSnapshot, pods: readonly Pod[]): Map<string, string> {
  const here = pods.filter((pod) => !isOnItsWay(s, pod))
  const isLost = ({ uid }: Pod): boolean => s.evidence.evictions[uid]?.kind === 'passing'
  const first = [...here.filter(isLost), ...here.filter((pod) => isReleased(pod) || isWritten(s, pod))]
  return new Map(first.flatMap((pod) => workloadsOf(s, pod).map((key) => [key, pod.uid])))
}

function workloadsOf(s: RecordedSnapshot, pod: Pod): readonly string[] {
  if (isReleased(pod)) return [pod.polite.workload]
  const workload = replacerOf(pod, s.cluster.workloads)
  return workload === undefined ? [] : [workloadKey(workload)]
}

const isOnItsWay = (s: RecordedSnapshot, pod: Pod): boolean => pod.terminating || isLeaving(s, pod)

/** One pod of a workload at a time, and the next only when the last is replaced. */
function mayLeave(s: RecordedSnapshot, pod: Pod, asked: Map<string, string>): Reason | undefined {
  if (isOnItsWay(s, pod)) return isGoing(s, pod)
  const retry = s.evidence.retries[evictionKey(pod)]
  if (retry !== undefined && retry.notBefore > s.now) {
    return evictionRefusal(
      pod,
      s.evidence.evictions[pod.uid] ?? { kind: 'passing', text: retry.error },
      s.cluster.budgets,
    )
  }
  // Its disruption budget decides when it may go: a guard pod has no replacement on another node.
  if (guardOf(pod) !== undefined) return undefined
  const workload = replacerOf(pod, s.cluster.workloads)
  if (workload === undefined || workload.kind === 'DaemonSet' || !pod.ready) return undefined
  const key = workloadKey(workload)
  if ((asked.get(key) ?? pod.uid) !== pod.uid)
    return { code: 'OneAtATime', object: key, text: `another pod of ${key} leaves first` }
  const lacking = notReplaced(s, workload, pod)
  if (lacking !== undefined) return lacking.reason
  asked.set(key, pod.uid)
  return undefined
}

export function evict(s: RecordedSnapshot, pod: Pod, stage: number): Extract<Action, { kind: 'evict' }> {
  const grace = s.spec.drain.graceSeconds
  const { namespace, name, uid } = pod
  const what = { kind: 'evict', node: s.current.node.name, namespace, name, uid, stage } as const
  return grace === undefined ? what : { ...what, graceSeconds: grace }
}

/** The pod of a NodeGuard has no other node to run on, and comes back with this one. */
function workloadsNotBack(s: RecordedSnapshot): readonly Reason[] {
  const others = Object.values(s.evidence.evicted).filter(({ stage }) => stage !== GUARD_STAGE)
  const lost = new Set(others.flatMap((pod) => pod.workload ?? []))
  return replacersOf(lost, s.cluster.workloads)
    .map((workload) => replaced(s, workload))
    .flatMap((answer) => (answer.kind === 'waiting' ? [answer.reason] : []))
}

const volumesHeld = (s: RecordedSnapshot): readonly Reason[] =>
  strandedVolumes(s).map((volume) => ({
    code: 'VolumeAttached',
    object: volume.name,
    text: `volume ${volume.persistentVolumeName} is still attached (${volume.attacher})`,
  }))

/** Pods of DaemonSets were evicted: true also where the node has lost our taint since, by being registered anew. */
const haveDaemonsLeft = (s: RecordedSnapshot): boolean =>
  Object.values(s.evidence.evicted).some(({ stage }) => stage === 3)

/** Our taint keeps pods of DaemonSets from coming back. */
export const isShut = (s: RecordedSnapshot): boolean =>
  s.current.node.taints.some((taint) => taint.key === OUT_TAINT.key)

/** A DaemonSet's controller ignores the cordon; a taint it does not tolerate keeps its pod from coming back. */
function shutAgainstReturn(s: RecordedSnapshot): StepAnswer {
  const refusals = mayDisrupt(s)
  if (refusals.length > 0) return hold(refusals)
  return act([{ kind: 'addTaint', node: s.current.node.name, taint: OUT_TAINT }], {
    code: 'DaemonSetWouldReturn',
    text: 'a DaemonSet would start its pod again before the reboot',
  })
}

function refusedReason(s: RecordedSnapshot, pod: Pod): Reason {
  const flag = pod.controller === undefined ? 'drain.deleteUnmanaged' : 'drain.deleteEmptyDirData'
  const what = pod.controller === undefined ? 'has no controller that would replace it' : 'keeps data in an emptyDir'
  return {
    code: 'PodRefused',
    object: refKey(pod),
    text: `${refKey(pod)} ${what}`,
    next: `set ${flag} to delete it from ${s.current.node.name}`,
  }
}

function unique(reasons: readonly Reason[]): readonly Reason[] {
  return [...new Map(reasons.map((reason) => [`${reason.code} ${reason.object}`, reason])).values()]
}
