import type { RollPlan } from '../../../model/roll-plan.ts'

/**
 * What the plan of a run that is taken up can still be refused for. Nodes under way are past most of it, and may be down
 * right now: of them only what says that the way to the machine, or its right to reboot, is wrong. None left is no error.
 */
export function restOfPlan(plan: RollPlan, underWay: readonly string[]): RollPlan {
  const findings = plan.findings.filter(({ code, node }) =>
    node !== undefined && underWay.includes(node) ? WAY_CODES.has(code) : code !== 'NoNodes',
  )
  return { ...plan, findings }
}

const WAY_CODES: ReadonlySet<string> = new Set([
  'HOST_DENIED',
  'HOST_KEY',
  'HOST_NAME',
  'HOST_NO_SSH',
  'HOST_SSH_CONFIG',
  'HOST_UNRESOLVED',
  'HostMayNotReboot',
])
