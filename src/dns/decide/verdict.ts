import type { Cause } from './cause.ts'
import { CAUSES } from './causes.ts'
import type { Finding } from './diagnosis/finding.ts'

export type DnsVerdict = Cause['verdict']

/** The worst first. What is not known outweighs nothing that is wrong; what was observed alone is not called well. */
export const DNS_VERDICTS: readonly DnsVerdict[] = ['bad', 'degraded', 'unverified', 'observed', 'ok']

/** Of all findings together. */
export const verdictOf = (findings: readonly Finding[]): DnsVerdict =>
  DNS_VERDICTS.find((verdict) => findings.some(({ code }) => CAUSES[code].verdict === verdict)) ?? 'unverified'
