import type { PlanFinding } from '../../../ground/model/plan-finding.ts'

/** What to do about an instance that gave no reading, by the code of its error. */
const FIXES: Readonly<Record<string, string>> = {
  BALANCER_UNREACHABLE: 'check its address under "balancers", and that HAProxy runs and serves its runtime API there',
  BALANCER_TIMEOUT: 'check its address under "balancers", and that HAProxy answers there: echo "show info" to it',
  BALANCER_REPLY: 'set its address under "balancers" to the runtime API of HAProxy 2.2 or later',
  BALANCER_NO_PROGRAM: 'correct the first argument under "commands", or let this user run the program (chmod +x)',
  BALANCER_PERMISSION: 'let this user open the socket, and give it "level admin"',
}

/** The finding with what to do about it, where it is an error of a balancer that says nothing of that. */
export function withBalancerAdvice(finding: PlanFinding): PlanFinding {
  const fix = finding.fix ?? FIXES[finding.code]
  return fix === undefined ? finding : { ...finding, fix }
}
