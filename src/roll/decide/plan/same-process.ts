import { firstOf } from '../../../ground/model/first-of.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { InstanceInspection } from '../../../service/model/balancer-inspection.ts'

type Asked = Pick<InstanceInspection, 'instance' | 'onlyProcess'>

export const isSameProcess = (one: Asked, other: Asked): boolean =>
  one.onlyProcess !== undefined && one.onlyProcess === other.onlyProcess

/** An instance of a balancer, with its answer. */
interface OfBalancer {
  readonly balancer: string
  readonly inspection: Asked
}

/**
 * Two instances of one balancer that are one process: a name or an address was copied, or one of them is the virtual address of the pair.
 * The other process is asked by nobody, and goes on sending to nodes that are out.
 */
export const sameProcessFindings = (instances: readonly OfBalancer[]): readonly PlanFinding[] =>
  [...Map.groupBy(instances, ({ balancer, inspection }) => `${balancer} ${inspection.onlyProcess}`).values()].flatMap(
    (alike): readonly PlanFinding[] => {
      const [first, second] = alike
      if (first?.inspection.onlyProcess === undefined || second === undefined) return []
      const names = firstOf(alike.map(({ inspection }) => inspection.instance))
      return [
        {
          severity: 'error',
          code: 'BalancerSameProcess',
          text: `${names} of balancer ${first.balancer} are one process of HAProxy: if there is another one, it would go on sending to nodes that are out`,
          fix: 'give each instance the address of its own process, not that of the pair, or remove one of them from "instances"',
        },
      ]
    },
  )
