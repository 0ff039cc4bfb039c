import { formatDuration } from '../../../ground/model/duration.ts'
import type { Node } from '../../../ground/model/node.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { isDaemonSetPod, isFinished, type Pod } from '../../../ground/model/pod.ts'
import { workloadKey } from '../../../ground/model/workload.ts'
import { classifyPod } from '../drain/classify-pod.ts'
import { guardingBudgets, politeSpec, selectingServices, whyNotPolite } from '../drain/may-be-polite.ts'
import { workloadOf } from '../drain/workload-of.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'

/** What `drain.polite` leads to: which of the chosen pods are drained as usual, and what may go wrong with the others. */
export function politeFindings(s: PlanSnapshot, nodes: readonly Node[]): readonly PlanFinding[] {
  const { polite = [] } = s.spec.drain
  if (polite.length === 0) return []
  const chosen = s.cluster.pods.filter((pod) => politeSpec(pod, s.spec.drain) !== undefined)
  const names = new Set(nodes.map(({ name }) => name))
  const moving = chosen.filter((pod) => names.has(pod.nodeName ?? '') && mayMove(s, pod))
  const used = new Set(chosen.map((pod) => politeSpec(pod, s.spec.drain)))
  return [
    ...polite.flatMap((entry, i) => (used.has(entry) ? [] : [unused(i)])),
    ...moving.flatMap((pod) => notPolite(s, pod)),
    ...moving.filter((pod) => leavesPolitely(s, pod)).flatMap((pod) => doubts(s, pod)),
    ...pooled(s),
  ]
}

/** The pod is replaced before it leaves: no budget and no client has one pod less meanwhile. */
export const leavesPolitely = (s: PlanSnapshot, pod: Pod): boolean =>
  (pod.polite !== undefined || isChosen(s, pod)) && budgetsSpare(s, pod)

/** Each of its budgets has one to spare once a replacement is Ready. */
export const budgetsSpare = ({ cluster }: PlanSnapshot, pod: Pod): boolean =>
  guardingBudgets(cluster.budgets, pod).every(
    ({ currentHealthy, desiredHealthy, syncFailed }) => !syncFailed && currentHealthy >= desiredHealthy,
  )

const isChosen = ({ spec, cluster, services }: PlanSnapshot, pod: Pod): boolean =>
  pod.ready && politeSpec(pod, spec.drain) !== undefined && whyNotPolite({ ...cluster, services }, pod) === undefined

const mayMove = ({ spec }: PlanSnapshot, pod: Pod): boolean =>
  !isFinished(pod) && (classifyPod(pod, spec.drain).kind !== 'stays' || isDaemonSetPod(pod))

/** Such a connection stays with its pod as long as the pod runs, whatever kube-proxy does. */
const pooled = ({ instances }: PlanSnapshot): readonly PlanFinding[] =>
  instances
    .filter(({ reading }) => reading?.servers.some(({ idleConnections }) => idleConnections > 0) === true)
    .map(({ instance }) => ({
      severity: 'warning',
      code: 'PolitePooled',
      text: `${instance} keeps connections to servers open between requests: a request that is on its way over one of them as its pod exits is lost`,
      fix: 'set "option http-server-close" in the backends, or let HAProxy try again ("retry-on empty-response")',
    }))

const unused = (i: number): PlanFinding => ({
  severity: 'warning',
  code: 'PoliteUnused',
  text: `entry ${i + 1} of drain.polite chooses no pod of the cluster`,
  fix: 'correct its selector or its namespaces, or leave it out',
})

function notPolite({ cluster, services }: PlanSnapshot, pod: Pod): readonly PlanFinding[] {
  const why = pod.polite === undefined ? whyNotPolite({ ...cluster, services }, pod) : undefined
  if (why === undefined) return []
  const workload = workloadOf(pod, cluster.workloads)
  const what = workload === undefined ? `Pod ${refKey(pod)}` : workloadKey(workload)
  return [
    {
      severity: 'warning',
      code: 'NotPolite',
      text: `pods of ${what} are evicted without their replacement: ${why}; requests may fail while they exit`,
      fix: 'let the app serve on after SIGTERM for some seconds, as by a preStop hook',
    },
  ]
}

function doubts({ services, spec }: PlanSnapshot, pod: Pod): readonly PlanFinding[] {
  const after = formatDuration(politeSpec(pod, spec.drain)?.leaveAfterMs ?? 0)
  return selectingServices(services, pod.namespace, pod.labels).flatMap((service): readonly PlanFinding[] => [
    ...(service.headless === true
      ? [
          {
            severity: 'warning' as const,
            code: 'PoliteHeadless',
            text: `clients of headless Service ${refKey(service)} keep the address of a pod for as long as they cache DNS; a pod serves on for ${after}`,
            fix: 'set drain.polite leaveAfter to more than the TTL that clients go by (CoreDNS: 30 s, or 5 s by default)',
          },
        ]
      : []),
    ...(service.publishesNotReady === true
      ? [
          {
            severity: 'warning' as const,
            code: 'PoliteNotReady',
            text: `Service ${refKey(service)} sends to pods before they are Ready (publishNotReadyAddresses), so requests to a replacement may fail`,
          },
        ]
      : []),
  ])
}
