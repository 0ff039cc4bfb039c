import assert from 'node:assert/strict'
import { test } from 'node:test'
import { udpCountsOf } from '../../../src/dns/io/coredns-metrics.ts'

const [REQUESTS, RESPONSES] = ['coredns_dns_requests_total', 'coredns_dns_response_size_bytes_count']
const sample = (name: string, labels: string, value: string): string => `${name}{${labels}} ${value}`
const udp = (name: string, value: string): string => sample(name, 'proto="udp",server="dns://:53",zone="."', value)
const BUILD = 'coredns_build_info{goversion="go1.26",revision="",version="1.14.7"} 1'

const TABLE: readonly (readonly [what: string, lines: readonly string[], counts: ReturnType<typeof udpCountsOf>])[] = [
  [
    'all zones and servers are added up, and UDP alone',
    [
      '# HELP coredns_dns_requests_total Counter of DNS requests made per zone, protocol and family.',
      '# TYPE coredns_dns_requests_total counter',
      sample(REQUESTS, 'family="1",proto="tcp",server="dns://:53",type="A",view="",zone="."', '900'),
      sample(REQUESTS, 'family="1",proto="udp",server="dns://:53",type="A",view="",zone="."', '3'),
      sample(REQUESTS, 'family="2",proto="udp",server="dns://:54",type="A",view="",zone="dropped"', '4'),
      sample('coredns_dns_response_size_bytes_bucket', 'proto="udp",zone=".",le="100"', '70'),
      sample('coredns_dns_response_size_bytes_sum', 'proto="udp",zone="."', '777'),
      sample(RESPONSES, 'proto="udp",server="dns://:53",zone="."', '5'),
      sample(RESPONSES, 'proto="tcp",server="dns://:53",zone="."', '900'),
    ],
    { received: 7, answered: 5 },
  ],
  ['large counts are written with an exponent', [udp(REQUESTS, '1.234567e+06')], { received: 1_234_567, answered: 0 }],
  ['a sample may have its time', [`${udp(REQUESTS, '3')} 1700000000000`], { received: 3, answered: 0 }],
  ['a CoreDNS that was never asked over UDP has received none', [BUILD], { received: 0, answered: 0 }],
  [
    'a value that only looks like the label is none',
    [BUILD, sample(REQUESTS, String.raw`zone="a,proto=\"udp\"",proto="tcp"`, '9')],
    { received: 0, answered: 0 },
  ],
  ['another program', ['go_goroutines 12', 'process_cpu_seconds_total 3'], 'they are not metrics of CoreDNS'],
  ['a page', ['<!doctype html><html><body>Log in</body></html>'], 'they are not metrics of CoreDNS'],
  ...['NaN', '+Inf', '-1', '-0', '1.5', '1e400', '9007199254740993', '0x10', 'many', '1_0'].map(
    (value) => [`${value} is no count`, [udp(REQUESTS, value)], 'a counter is not a whole number'] as const,
  ),
  ['sums that are too large', Array(3).fill(udp(RESPONSES, '9e15')), 'a counter is not a whole number'],
  ['labels without end', [`${REQUESTS}{${'a'.repeat(4_000_000)}} 1`], 'a line is too long'],
  ['labels that are none', [BUILD, `${REQUESTS}{${'a'.repeat(8_000)}} 1`], { received: 0, answered: 0 }],
]

for (const [what, lines, counts] of TABLE)
  test(`${what.slice(0, 60)}: ${typeof counts === 'string' ? counts : `${counts.received} and ${counts.answered}`}`, () => {
    assert.deepEqual(udpCountsOf(`${lines.join('\n')}\n`), counts)
  })

test('what breaks off within a number is not read as a smaller one', () => {
  assert.equal(udpCountsOf(udp(REQUESTS, '12')), 'they break off')
  assert.equal(udpCountsOf(''), 'they break off')
})
