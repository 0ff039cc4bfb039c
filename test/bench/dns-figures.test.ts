import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsDocument, MemoryDocument, SweepDocument } from '../../bench/dns/dns-document.ts'
import { dnsFigures } from '../../bench/dns/dns-figures.ts'
import { isMissed } from '../../bench/report/figure.ts'

const sweep: SweepDocument = {
  bench: 'dns.sweep',
  targets: 200,
  queries: 1_600,
  atOnce: 64,
  queriesPerSecond: 20_000,
  failed: 0,
  sweepMs: [400, 160, 200],
  bareMs: [40, 50, 30],
  dnsperfMs: [20, 25, 22],
  byDefault: { queriesPerSecond: 800, ms: 2_030 },
}

const shown = (document: DnsDocument): readonly string[] =>
  dnsFigures(document).map((figure) => {
    const { name, value, beside } = figure
    return `${name}: ${value}${beside ? ` / ${beside.name} ${beside.value}` : ''}${isMissed(figure) ? ' missed' : ''}`
  })

test('a sweep is shown with its rate, and in queries a second beside a bare loop and dnsperf', () => {
  assert.deepEqual(shown(sweep), [
    '200 targets, 1600 queries at --rate 20000, median of 3: 0.2',
    '200 targets, 1600 queries at --rate 20000, the first: 0.4',
    '200 targets, 1600 queries at --rate 800, the default: 2.03',
    'queries a second, 64 at once: 8000 / bare loop 40000',
    'queries a second, 64 at once: 8000 / dnsperf 72727',
    'queries of these sweeps without a right answer: 0',
  ])
  const { dnsperfMs: _, ...alone } = sweep
  assert.equal(shown(alone).length, 5)
})

test('a sweep above a second, and a query without an answer, miss their goals', () => {
  const slow = dnsFigures({ ...sweep, sweepMs: [1_001], failed: 1 }).filter(isMissed)
  assert.deepEqual(
    slow.map(({ value }) => value),
    [1.001, 1.001, 1],
  )
})

test('a dead pod is shown by least, median and most, and false alarms by their count', () => {
  const dead = { bench: 'dns.deadPod', timeoutMs: 1_000, checks: 3, missed: 1, waitsMs: 6_750 } as const
  assert.deepEqual(shown({ ...dead, tookMs: [7_000, 6_600, 6_800] }), [
    'a dead pod is named at --timeout 1000ms, least: 6.6 / its own waits 6.75',
    'a dead pod is named at --timeout 1000ms, median of 3: 6.8 / its own waits 6.75',
    'a dead pod is named at --timeout 1000ms, most: 7 / its own waits 6.75',
    'of 3 checks, not named within two rounds: 1 missed',
  ])
  const loss = { bench: 'dns.randomLoss', path: 'one pod', loss: 0.01, rounds: 100_000, alone: 9 } as const
  assert.deepEqual(shown({ ...loss, falseAlarms: 0, ms: 2_000 }), [
    'false alarms in 100000 rounds, one pod, 1 % lost: 0',
    'simulated rounds a second, one pod, 1 % lost: 50000',
  ])
})

test('memory that grows by more than a tenth after the first queries misses its goal', () => {
  const looks = [
    { queries: 100_000, residentMb: 100, heapMb: 10 },
    { queries: 1_000_000, residentMb: 111, heapMb: 11 },
  ]
  const memory: MemoryDocument = { bench: 'dns.memory', atOnce: 64, seconds: 60, unanswered: 0, looks }
  assert.deepEqual(shown(memory), [
    'memory after 1000000 queries, all answered: 111 / after 100000 100 missed',
    'heap after 1000000 queries, all answered: 11 / after 100000 10',
  ])
  assert.match(shown({ ...memory, dropOneIn: 10 })[0] ?? '', /one in 10 dropped/)
})
