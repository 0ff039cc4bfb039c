import type { DnsFacts } from './dns-facts.ts'
import { findingText, policyOf } from './dns-policy.ts'

/** What people are to know of a check that holds nothing up: sentences. */
export function dnsNotices(last: NonNullable<DnsFacts['last']>, hasRelays: boolean): readonly string[] {
  const how = hasRelays ? '' : '; with "dns.image" in the file it is asked from nodes'
  const asBefore = `the roll goes by whether an endpoint of it is Ready${how}`
  if (last.kind === 'unknown')
    return last.why === undefined ? [] : [`what DNS answers is not known: ${last.why}; ${asBefore}`]
  const by = (leaving: 'says' | 'unknown'): readonly string[] =>
    last.findings.filter((finding) => policyOf(last, finding).leaving === leaving).map(findingText)
  const unknown = by('unknown')
  return [
    ...by('says').map((text) => `DNS of the cluster is not quite well: ${text}`),
    ...(unknown.length === 0 ? [] : [`not all of DNS is known (${unknown.join('; ')}); ${asBefore}`]),
  ]
}
