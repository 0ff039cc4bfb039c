import { firstOf } from '../../../model/first-of.ts'
import { isFinished, type Pod } from '../../../model/pod.ts'
import type { PlanFinding } from '../../../model/roll-plan.ts'
import { type Workload, workloadKey } from '../../../model/workload.ts'
import { classifyPod } from '../drain/classify-pod.ts'
import { isGated } from '../drain/guard-of.ts'
import { workloadOf } from '../drain/workload-of.ts'
import { withLadder } from './blocked-advice.ts'
import { disruptionFindings } from './disruption-findings.ts'
import { type GatheredPods, gatherPods } from './gathered-pods.ts'
import type { PlanFacts } from './plan-facts.ts'
import { leavesPolitely } from './polite-findings.ts'

/** What stands against moving these pods: each finding once, whatever the number of pods. */
export function podFindings(facts: PlanFacts, pods: readonly Pod[]): readonly PlanFinding[] {
  const kept: Pod[] = []
  const unmanaged: Pod[] = []
  for (const pod of pods) {
    const verdict = classifyPod(pod, facts.spec.drain)
    if (verdict.kind === 'refused') (verdict.why === 'emptyDir' ? kept : unmanaged).push(pod)
  }
  const moving = movingPods(facts, pods)
  // Those that leave politely are replaced before.
  const evicted = moving.filter((pod) => !leavesPolitely(facts, pod))
  return [...refused(facts, { kept, unmanaged }), ...disruptionFindings(facts, evicted), ...single(facts, evicted)]
}

/** Those that a drain evicts and that something puts back elsewhere. */
export const movingPods = ({ spec }: PlanFacts, pods: readonly Pod[]): readonly Pod[] =>
  pods.filter((pod) => !isFinished(pod) && classifyPod(pod, spec.drain).kind === 'evict')

interface RefusedPods {
  readonly kept: readonly Pod[]
  readonly unmanaged: readonly Pod[]
}

function refused(facts: PlanFacts, { kept, unmanaged }: RefusedPods): readonly PlanFinding[] {
  const found: readonly (readonly [readonly Pod[], (gathered: GatheredPods) => PlanFinding])[] = [
    [unmanaged, unmanagedPods],
    [kept, emptyDirPods],
  ]
  return found
    .filter(([pods]) => pods.length > 0)
    .map(([pods, tell]) => withLadder(facts, pods, tell(gatherPods(pods, facts.cluster.workloads))))
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
function single({ cluster }: PlanFacts, moving: readonly Pod[]): readonly PlanFinding[] {
  const ofWorkload = new Map<Workload, Pod>()
  for (const pod of moving) {
    const workload = isGated(pod) ? undefined : workloadOf(pod, cluster.workloads)
    if (workload?.desired === 1) ofWorkload.set(workload, pod)
  }
  if (ofWorkload.size === 0) return []
  const names = [...ofWorkload.keys()].map(workloadKey)
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
