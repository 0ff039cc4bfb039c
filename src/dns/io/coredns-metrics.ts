import type { UdpCounts } from '../model/udp-counts.ts'

/** A sample of Prometheus’ text form: a name, labels in braces, a value, and sometimes a time. */
const SAMPLE = /^(coredns_\w+)\{(.*)\} (\S+)(?: -?\d+)?$/
/** One after the other: what is no label ends them. */
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)",?/gy
/** One with every label that CoreDNS gives is some hundred characters long. */
const LINE_MAX = 8_192
const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const COUNTED: Readonly<Record<string, keyof UdpCounts>> = {
  coredns_dns_requests_total: 'received',
  // CoreDNS measures each answer that it sends.
  coredns_dns_response_size_bytes_count: 'answered',
}

/**
 * What the metrics of a CoreDNS say of UDP, over all of its servers and zones; or why they say nothing of it, in words. A
 * CoreDNS that has not been asked over UDP yet has no such series: it has received none.
 */
export function udpCountsOf(text: string): UdpCounts | string {
  if (!text.endsWith('\n')) return 'they break off'
  const lines = text.split('\n')
  if (!lines.some((line) => line.startsWith('coredns_'))) return 'they are not metrics of CoreDNS'
  const sums = { received: 0, answered: 0 }
  for (const line of lines) {
    if (line.length > LINE_MAX) return 'a line is too long'
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
    const counted = COUNTED[name]
    if (counted === undefined || !isUdp(labels)) continue
    sums[counted] += NUMBER.test(value) ? Number(value) : Number.NaN
    if (!Number.isSafeInteger(sums[counted])) return 'a counter is not a whole number'
  }
  return sums
}

const isUdp = (labels: string): boolean =>
  [...labels.matchAll(LABEL)].some(([, name, value]) => name === 'proto' && value === 'udp')
