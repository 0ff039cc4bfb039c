import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { adviceFor } from '../../../service/actuators/actuator-of.ts'

/** The finding with what to do about it, where it is an error of a balancer that says nothing of that. */
export function withBalancerAdvice(finding: PlanFinding): PlanFinding {
  const fix = finding.fix ?? adviceFor(finding.code)
  return fix === undefined ? finding : { ...finding, fix }
}
