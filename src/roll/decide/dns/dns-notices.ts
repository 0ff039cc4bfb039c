import { findingText, policyOf } from './dns-policy.ts'
import type { DnsReadings } from './dns-readings.ts'

/** Sentences for people about a check that delays nothing. */
export function dnsNotices(last: NonNullable<DnsReadings['last']>, hasRelays: boolean): readonly string[] {
  const how = hasRelays ? '' : '; set "dns.image" in the roll file to send queries from nodes'
  const asBefore = `the roll only checks that an endpoint of DNS is Ready${how}`
  if (last.kind === 'unknown')
    return last.why === undefined ? [] : [`the state of DNS is not known: ${last.why}; ${asBefore}`]
  const by = (leaving: 'says' | 'unknown'): readonly string[] =>
    last.findings.filter((finding) => policyOf(last, finding).leaving === leaving).map(findingText)
  const unknown = by('unknown')
  return [
    ...by('says').map((text) => `the cluster DNS has a problem: ${text}`),
    ...(unknown.length === 0 ? [] : [`the state of DNS is only partly known (${unknown.join('; ')}); ${asBefore}`]),
  ]
}
