import { firstOf } from '../../../ground/model/first-of.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { isDaemonSetPod, isFinished, type Pod } from '../../../ground/model/pod.ts'
import { present } from '../../../ground/model/present.ts'
import { isTiedToNode } from '../../../ground/model/tied-pod.ts'
import { CORDON_TAINT, tolerates } from '../../../ground/model/tolerations.ts'
import { workloadKey } from '../../../ground/model/workload.ts'
import { classifyPod } from '../drain/classify-pod.ts'
import { isGated } from '../drain/guard-of.ts'
import { isNotSafeToEvict, notSafeMarks } from '../drain/not-safe-to-evict.ts'
import { stillThere, stuckEnding } from '../drain/pod-ending.ts'
import { podsOf } from '../drain/ready-pods.ts'
import { replacerOf } from '../drain/replacer-of.ts'
import { withLadder } from './blocked-advice.ts'
import { disruptionFindings } from './disruption-findings.ts'
import { type GatheredPods, gatherPods } from './gathered-pods.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'
import { leavesPolitely } from './polite-findings.ts'

/** What forbids to move these pods: each finding once, whatever the number of pods. */
export function podFindings(s: PlanSnapshot, pods: readonly Pod[]): readonly PlanFinding[] {
  const kept: Pod[] = []
  const unmanaged: Pod[] = []
  for (const pod of pods) {
    const verdict = classifyPod(pod, s.spec.drain)
    if (verdict.kind === 'refused') (verdict.why === 'emptyDir' ? kept : unmanaged).push(pod)
  }
  const moving = movingPods(s, pods)
  // Pods that leave politely are replaced first.
  const evicted = moving.filter((pod) => !leavesPolitely(s, pod))
  return [
    ...refused(s, { kept, unmanaged }),
    ...notSafe(s, pods),
    ...stuck(s, pods),
    ...disruptionFindings(s, evicted),
    ...single(s, evicted),
    ...backInSpite(s, moving),
  ]
}

function notSafe({ spec: { drain }, cluster }: PlanSnapshot, pods: readonly Pod[]): readonly PlanFinding[] {
  const unsafe = pods.filter((pod) => isNotSafeToEvict(pod, drain))
  if (unsafe.length === 0 || drain.safeToEvict === 'ignore') return []
  const { words, isOne, where } = gatherPods(unsafe, cluster.workloads)
  const marks = [...new Set(unsafe.flatMap(notSafeMarks))]
  const isHeld = drain.safeToEvict === 'hold'
  const [one, it] = isOne ? ['says that it is', 'it'] : ['say that they are', 'them']
  const then = isHeld
    ? `the roll does not begin the node before ${isOne ? 'it is' : 'they are'} gone`
    : `a drain evicts ${it} all the same`
  return [
    {
      severity: isHeld ? 'hold' : 'warning',
      code: 'PodNotSafeToEvict',
      ...where,
      text: `${words} ${one} not to be evicted (${marks.join(', ')}): ${then}`,
      fix: isHeld ? `let ${it} end first` : 'drain.safeToEvict: hold, to wait until such pods have ended',
    },
  ]
}

/** Pods that are being deleted and do not end: a drain would wait for them. */
function stuck({ spec: { drain }, cluster, wall }: PlanSnapshot, pods: readonly Pod[]): readonly PlanFinding[] {
  if (wall === undefined) return []
  const readyOf = new Map(cluster.nodes.map(({ name, ready }) => [name, ready]))
  const found = pods.flatMap((pod) => {
    if (pod.ending === undefined || classifyPod(pod, drain).kind === 'stays') return []
    const around = { now: wall, ...present({ nodeReady: readyOf.get(pod.nodeName ?? '') }) }
    const reason = stuckEnding(pod, pod.ending, stillThere(pod.ending, around))
    return reason === undefined ? [] : [{ pod, reason }]
  })
  return [...Map.groupBy(found, ({ reason }) => reason.code)].map(([code, some]) => {
    const { where } = gatherPods(
      some.map(({ pod }) => pod),
      cluster.workloads,
    )
    const { text = '', next } = some[0]?.reason ?? {}
    const others = some.length === 1 ? '' : `; likewise ${some.length - 1} more ${some.length === 2 ? 'pod' : 'pods'}`
    return { severity: 'hold', code, ...where, text: `${text}${others}`, ...present({ fix: next }) }
  })
}

/** Pods that a drain evicts and that something starts again elsewhere. */
export const movingPods = ({ spec }: PlanSnapshot, pods: readonly Pod[]): readonly Pod[] =>
  pods.filter((pod) => !isFinished(pod) && classifyPod(pod, spec.drain).kind === 'evict')

interface RefusedPods {
  readonly kept: readonly Pod[]
  readonly unmanaged: readonly Pod[]
}

function refused(s: PlanSnapshot, { kept, unmanaged }: RefusedPods): readonly PlanFinding[] {
  const found: readonly (readonly [readonly Pod[], (gathered: GatheredPods) => PlanFinding])[] = [
    [unmanaged, unmanagedPods],
    [kept, emptyDirPods],
  ]
  return found
    .filter(([pods]) => pods.length > 0)
    .map(([pods, tell]) => withLadder(s, pods, tell(gatherPods(pods, s.cluster.workloads))))
}

const unmanagedPods = ({ words, isOne, where }: GatheredPods): PlanFinding => ({
  severity: 'error',
  code: 'PodUnmanaged',
  ...where,
  text: `${words} ${isOne ? 'has' : 'have'} no controller that would replace ${isOne ? 'it' : 'them'}`,
  fix: 'set drain.deleteUnmanaged: true to delete such pods',
})

const emptyDirPods = ({ words, isOne, where }: GatheredPods): PlanFinding => ({
  severity: 'error',
  code: 'PodEmptyDir',
  ...where,
  text: `${words} ${isOne ? 'keeps' : 'keep'} data in an emptyDir, which is lost when ${isOne ? 'it moves' : 'they move'}`,
  fix: 'set drain.deleteEmptyDirData: true to delete such data',
})

/** Pods that are for their node alone have no replica elsewhere, on purpose. */
function single({ cluster }: PlanSnapshot, moving: readonly Pod[]): readonly PlanFinding[] {
  const ofWorkload = new Map<string, Pod>()
  for (const pod of moving) {
    const workload = isGated(pod) ? undefined : replacerOf(pod, cluster.workloads)
    if (workload === undefined) continue
    const replicas = workload.desired ?? podsOf({ cluster }, workload).length
    if (replicas === 1) ofWorkload.set(workloadKey(workload), pod)
  }
  if (ofWorkload.size === 0) return []
  const names = [...ofWorkload.keys()]
  const { where } = gatherPods([...ofWorkload.values()], cluster.workloads)
  const isOne = names.length === 1
  return [
    {
      severity: 'warning',
      code: 'SingleReplica',
      ...where,
      text: isOne
        ? `${names[0]} has 1 replica, which is away while it moves`
        : `${names.length} workloads (${firstOf(names)}) have 1 replica each, which is away while it moves`,
      fix: isOne ? 'give it a second replica' : 'give each a second replica',
    },
  ]
}

/** The scheduler may put such a pod on the node that is drained, which is the emptiest. */
function backInSpite({ cluster }: PlanSnapshot, moving: readonly Pod[]): readonly PlanFinding[] {
  const tolerant = moving.filter(
    (pod) =>
      !isGated(pod) &&
      !isDaemonSetPod(pod) &&
      replacerOf(pod, cluster.workloads) !== undefined &&
      toleratesCordon(pod) &&
      !isTiedToNode(pod, { name: pod.nodeName ?? '' }, cluster.nodes),
  )
  if (tolerant.length === 0) return []
  const { words, isOne, where } = gatherPods(tolerant, cluster.workloads)
  return [
    {
      severity: 'warning',
      code: 'ToleratesCordon',
      ...where,
      text: `${words} ${isOne ? 'tolerates' : 'tolerate'} ${CORDON_TAINT.key}, so the scheduler may put ${isOne ? 'its replacement' : 'their replacements'} back on the node; of a workload at most one such pod goes down with the node, and the roll waits for the others`,
      fix: 'remove this toleration from the pod template, or name the taints that it is for',
    },
  ]
}

const toleratesCordon = ({ placement }: Pod): boolean =>
  placement?.tolerations.some((toleration) => tolerates(toleration, CORDON_TAINT)) === true
