import type { PlanFinding } from '../../../ground/model/plan-finding.ts'

/** Of a roll that has no probe, and was not asked to roll without one. */
export const NO_PROBE = {
  severity: 'error',
  code: 'NoProbe',
  text: 'nothing measures this roll, so nothing would stop it at a failed request',
  fix: 'write spec.probes in the roll file, or roll without a probe: --no-probe',
} as const satisfies PlanFinding
