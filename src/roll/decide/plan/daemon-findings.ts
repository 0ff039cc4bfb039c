import { selectorMatches } from '../../../ground/model/label-selector.ts'
import type { Node } from '../../../ground/model/node.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { isDaemonSetPod, type Pod } from '../../../ground/model/pod.ts'
import type { Service } from '../../../ground/model/service.ts'
import type { Workload } from '../../../ground/model/workload.ts'
import { classifyPod } from '../drain/classify-pod.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'
import { lastingTaint } from './room/places.ts'

/**
 * A DaemonSet's pod stays through the drain and ends with its node. Where a Service spreads traffic over all its pods, other
 * nodes send to it until then, however well the node itself is detached.
 */
export function daemonFindings(s: PlanSnapshot): readonly PlanFinding[] {
  const { services, cluster } = s
  return servedDaemonSets({ services, ...cluster })
    .filter(({ workload }) => !hasStage(s, workload))
    .map(({ workload, service }) => warning(workload, service))
}

/**
 * Pods of DaemonSets that are drained, on nodes with a taint that they do not tolerate: they run since before the taint, and none comes back
 * after the reboot, so that the node is never proven.
 */
export function shutOutFindings({ cluster, spec }: PlanSnapshot, nodes: readonly Node[]): readonly PlanFinding[] {
  const nodeOf = new Map(nodes.map((node) => [node.name, node]))
  return cluster.pods.flatMap((pod): readonly PlanFinding[] => {
    const { nodeName = '', placement } = pod
    const node = nodeOf.get(nodeName)
    if (node === undefined || !isDaemonSetPod(pod) || placement === undefined) return []
    if (classifyPod(pod, spec.drain).kind !== 'evict') return []
    const taint = lastingTaint(node, placement)
    if (taint === undefined) return []
    return [
      {
        severity: 'block',
        code: 'DaemonShutOut',
        node: nodeName,
        pods: [refKey(pod)],
        text: `${refKey(pod)} would not come back to ${nodeName} after the reboot: it does not tolerate the taint ${taint.key}`,
        fix: 'remove the taint, let the DaemonSet tolerate it, or leave the node out',
      },
    ]
  })
}

interface Served {
  readonly services: readonly Service[]
  readonly pods: readonly Pod[]
  readonly workloads: readonly Workload[]
}

/** DaemonSets whose pods get traffic from other nodes, each with a Service that sends it. */
export const servedDaemonSets = ({
  services,
  pods,
  workloads,
}: Served): readonly { readonly workload: Workload; readonly service: Service }[] =>
  workloads
    .filter(({ kind }) => kind === 'DaemonSet')
    .flatMap((workload) => {
      const service = services.find((candidate) => sendsAcrossNodes(candidate) && leadsTo(candidate, pods, workload))
      return service === undefined ? [] : [{ workload, service }]
    })

const warning = (workload: Workload, service: Service): PlanFinding => ({
  severity: 'warning',
  code: 'DaemonSetBehindService',
  text: `DaemonSet ${refKey(workload)} serves Service ${refKey(service)}: other nodes send traffic to its pod until the node goes down`,
  fix: 'name it under drain.daemonSets to drain its pods last',
})

/** Traffic that stays on its node ends with the detach; `Local` for both policies keeps it there. */
function sendsAcrossNodes(service: Service): boolean {
  const outside = service.nodePorts.length > 0 && service.externalTrafficPolicy !== 'Local'
  return outside || service.internalTrafficPolicy !== 'Local'
}

function leadsTo(service: Service, pods: readonly Pod[], workload: Workload): boolean {
  const wanted = Object.entries(service.selector)
  if (wanted.length === 0 || service.namespace !== workload.namespace) return false
  return pods.some(
    (pod) => pod.controller?.uid === workload.uid && wanted.every(([key, value]) => pod.labels[key] === value),
  )
}

const hasStage = ({ cluster, spec }: PlanSnapshot, workload: Workload): boolean =>
  cluster.pods.some(
    (pod) =>
      pod.controller?.uid === workload.uid &&
      spec.drain.daemonSets.some((selector) => selectorMatches(selector, pod.labels)),
  )
