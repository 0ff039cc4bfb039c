import type { Cause } from './cause.ts'
import { CAUSES } from './causes.ts'
import type { DnsFinding } from './diagnosis/finding.ts'

export type DnsVerdict = Cause['verdict']

/** The worst first. A fault outweighs an unknown state. A state that was only observed is not called well. */
export const DNS_VERDICTS: readonly DnsVerdict[] = ['bad', 'degraded', 'unverified', 'observed', 'ok']

/** The verdict of all findings together. */
export const verdictOf = (findings: readonly DnsFinding[]): DnsVerdict =>
  DNS_VERDICTS.find((verdict) => findings.some(({ code }) => CAUSES[code].verdict === verdict)) ?? 'unverified'
