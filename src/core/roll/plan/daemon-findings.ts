import { selectorMatches } from '../../../model/label-selector.ts'
import { refKey } from '../../../model/object-ref.ts'
import type { PlanFinding } from '../../../model/roll-plan.ts'
import type { Service } from '../../../model/service.ts'
import type { Workload } from '../../../model/workload.ts'
import type { PlanFacts } from './plan-facts.ts'

/**
 * A DaemonSet's pod stays through the drain and dies with its node. Where a Service spreads traffic over all its pods,
 * other nodes go on sending to it until then, however well the node itself is detached.
 */
export function daemonFindings(facts: PlanFacts): readonly PlanFinding[] {
  return facts.cluster.workloads
    .filter((workload) => workload.kind === 'DaemonSet' && !hasStage(facts, workload))
    .flatMap((workload) => {
      const service = facts.services.find(
        (candidate) => sendsAcrossNodes(candidate) && leadsTo(candidate, facts, workload),
      )
      return service === undefined ? [] : [warning(workload, service)]
    })
}

const warning = (workload: Workload, service: Service): PlanFinding => ({
  severity: 'warning',
  code: 'DaemonSetBehindService',
  text: `DaemonSet ${refKey(workload)} serves Service ${refKey(service)}: other nodes send traffic to its pod until the node goes down`,
  fix: 'name it under drain.daemonSets to drain its pods last',
})

/** Traffic that stays on the node it reached ends with the detach; `Local` on both ways keeps it there. */
function sendsAcrossNodes(service: Service): boolean {
  const outside = service.nodePorts.length > 0 && service.externalTrafficPolicy !== 'Local'
  return outside || service.internalTrafficPolicy !== 'Local'
}

function leadsTo(service: Service, { cluster }: PlanFacts, workload: Workload): boolean {
  const wanted = Object.entries(service.selector)
  if (wanted.length === 0 || service.namespace !== workload.namespace) return false
  return cluster.pods.some(
    (pod) => pod.controller?.uid === workload.uid && wanted.every(([key, value]) => pod.labels[key] === value),
  )
}

const hasStage = ({ cluster, spec }: PlanFacts, workload: Workload): boolean =>
  cluster.pods.some(
    (pod) =>
      pod.controller?.uid === workload.uid &&
      spec.drain.daemonSets.some((selector) => selectorMatches(selector, pod.labels)),
  )
