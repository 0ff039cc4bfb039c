import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DnsStatus, dnsMetrics } from '../../../src/dns/run/dns-metrics.ts'
import { EMPTY_DNS_STATUS, foldCheck } from '../../../src/dns/run/fold-check.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { aPodOfDns, aReading, aScene, SILENT, V1 } from '../decide/a-scene.ts'
import { aCheck } from './a-check.ts'

const ONE_PLACE = { vantages: [V1] }
const sick = aCheck(aScene({ pods: { b: SILENT }, change: ONE_PLACE }))
const SEEN = foldCheck(EMPTY_DNS_STATUS, sick, wallMs(1_700_000_000_500))

const seriesOf = (view: DnsStatus): readonly string[] =>
  dnsMetrics(view)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

test('a sick pod is told to Prometheus with its verdict, its finding and what was lost on each path', () => {
  const series = seriesOf(SEEN)
  assert.ok(series.includes('evenkeel_dns_verdict{verdict="ok"} 0'))
  assert.deepEqual(
    series.filter((line) => !line.endsWith('} 0') || !line.startsWith('evenkeel_dns_verdict')),
    [
      'evenkeel_dns_verdict{verdict="bad"} 1',
      'evenkeel_dns_checks_total 1',
      'evenkeel_dns_check_failures_total 0',
      'evenkeel_dns_queries_total 40',
      'evenkeel_dns_last_check_timestamp_seconds 1700000000.5',
      'evenkeel_dns_finding{code="UdpDead",subject="pod/b"} 1',
      'evenkeel_dns_asked_total{vantage="v1",target_kind="pod",target="a"} 7',
      'evenkeel_dns_asked_total{vantage="v1",target_kind="pod",target="b"} 4',
      'evenkeel_dns_asked_total{vantage="v1",target_kind="service",target="10.96.0.10"} 7',
      'evenkeel_dns_lost_total{vantage="v1",target_kind="pod",target="a"} 0',
      'evenkeel_dns_lost_total{vantage="v1",target_kind="pod",target="b"} 4',
      'evenkeel_dns_lost_total{vantage="v1",target_kind="service",target="10.96.0.10"} 0',
      'evenkeel_dns_latency_seconds{vantage="v1",target_kind="pod",target="a"} 0.001',
      'evenkeel_dns_latency_seconds{vantage="v1",target_kind="pod",target="b"} 0.001',
      'evenkeel_dns_latency_seconds{vantage="v1",target_kind="service",target="10.96.0.10"} 0.001',
    ],
  )
})

test('what was observed alone is a verdict, and is no finding of what is wrong', () => {
  const udpSeen = { state: 'observed', received: 12, answered: 12, overMs: 5_000 } as const
  const pods = [aPodOfDns('a', { udpSeen }), aPodOfDns('b', { udpSeen })]
  const scene = aScene({
    change: { pods, paths: [], vantages: [{ name: 'pf', control: 'answers', way: 'portForward' }] },
  })
  const loopbacks = pods.map(({ name }) => ({
    vantage: 'pf',
    target: { kind: 'pod', name } as const,
    reading: aReading({ udp: 'notAsked', asked: 0 }),
  }))
  const check = aCheck({ ...scene, paths: loopbacks })
  assert.deepEqual([check.verdict, check.findings[0]?.code], ['observed', 'UdpObserved'])
  const series = seriesOf(foldCheck(EMPTY_DNS_STATUS, check, wallMs(0)))
  assert.deepEqual(
    series.filter((line) => /verdict|finding/.test(line)),
    [
      'evenkeel_dns_verdict{verdict="bad"} 0',
      'evenkeel_dns_verdict{verdict="degraded"} 0',
      'evenkeel_dns_verdict{verdict="unverified"} 0',
      'evenkeel_dns_verdict{verdict="observed"} 1',
      'evenkeel_dns_verdict{verdict="ok"} 0',
    ],
  )
})

test('before the first check there is no verdict to go by', () => {
  assert.deepEqual(seriesOf(EMPTY_DNS_STATUS), [
    'evenkeel_dns_checks_total 0',
    'evenkeel_dns_check_failures_total 0',
    'evenkeel_dns_queries_total 0',
  ])
})

test('a check that could not be made is unverified, claims no finding and no latency, and keeps the counters', () => {
  const series = seriesOf(foldCheck(SEEN, { trouble: 'the API server does not answer' }, wallMs(1_700_000_010_000)))
  assert.ok(series.includes('evenkeel_dns_verdict{verdict="unverified"} 1'))
  assert.ok(series.includes('evenkeel_dns_check_failures_total 1'))
  assert.ok(series.includes('evenkeel_dns_lost_total{vantage="v1",target_kind="pod",target="b"} 4'))
  assert.deepEqual(
    series.filter((line) => /finding|latency/.test(line)),
    [],
  )
})

test('series of a pod that is gone disappear, and a cluster that is well has no finding', () => {
  const pods = [aPodOfDns('a'), aPodOfDns('c')]
  const series = seriesOf(
    foldCheck(SEEN, aCheck(aScene({ change: { ...ONE_PLACE, pods } })), wallMs(1_700_000_010_000)),
  )
  assert.deepEqual(
    series.filter((line) => /"(?:pod\/)?b"|finding/.test(line)),
    [],
  )
})

test('names are escaped, and nothing is there twice, whatever the API says', () => {
  const twice = aPodOfDns('a"\\\nevil 1')
  const scene = aScene({
    pods: { [twice.name]: SILENT },
    change: { ...ONE_PLACE, pods: [aPodOfDns('b'), twice, twice] },
  })
  const series = seriesOf(foldCheck(EMPTY_DNS_STATUS, aCheck(scene), wallMs(0)))
  assert.ok(series.includes('evenkeel_dns_lost_total{vantage="v1",target_kind="pod",target="a\\"\\\\\\nevil 1"} 4'))
  assert.equal(new Set(series.map((line) => line.slice(0, line.lastIndexOf(' ')))).size, series.length)
  for (const line of series) assert.match(line, /^evenkeel_dns_\w+(\{(\w+="([^"\\\n]|\\["\\n])*",?)+\})? [\d.]+$/)
})

test('each series has its help and its type before it', () => {
  const lines = dnsMetrics(SEEN).split('\n')
  for (const name of new Set(seriesOf(SEEN).map((line) => line.replace(/[{ ].*/, '')))) {
    assert.match(lines.find((line) => line.startsWith(`# HELP ${name} `)) ?? '', /^# HELP \w+ [A-Z].+\.$/)
    assert.match(lines.find((line) => line.startsWith(`# TYPE ${name} `)) ?? '', / (gauge|counter)$/)
  }
})
