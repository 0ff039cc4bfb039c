import { CAUSES, type Cause } from './causes.ts'
import type { Finding } from './diagnosis/finding.ts'

export type DnsVerdict = Cause['verdict']

/** The worst first. What is not known outweighs nothing that is wrong; what was observed alone is not called well. */
const BY_WEIGHT: readonly DnsVerdict[] = ['bad', 'degraded', 'unverified', 'observed', 'ok']

/** Of all findings together. */
export const verdictOf = (findings: readonly Finding[]): DnsVerdict =>
  BY_WEIGHT.find((verdict) => findings.some(({ code }) => CAUSES[code].verdict === verdict)) ?? 'unverified'
