import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { adviceFor } from '../../../service/actuators/actuator-of.ts'

/** Adds advice to a finding that is an error of a balancer and has none. */
export function withBalancerAdvice(finding: PlanFinding): PlanFinding {
  const fix = finding.fix ?? adviceFor(finding.code)
  return fix === undefined ? finding : { ...finding, fix }
}
