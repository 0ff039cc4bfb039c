import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LatencySecond } from '../../../src/roll/model/latency-second.ts'
import { latencyColumns, thinnedLatency } from '../../../src/roll/report/document/latency-columns.ts'
import { latencyOver } from '../../../src/roll/report/document/latency-over.ts'

const START = Date.parse('2026-11-21T06:14:39.000Z')
const second = (index: number, facts: Partial<LatencySecond> = {}): LatencySecond => ({
  at: new Date(START + index * 1000).toISOString(),
  good: 100,
  failed: 0,
  p50Ms: 3,
  p99Ms: 11,
  maxMs: 40,
  ...facts,
})

test('seconds become columns; what was not measured is null and not good', () => {
  const columns = latencyColumns([second(0), second(2, { failed: 3, p99Ms: 20 })])
  assert.deepEqual(columns, {
    startedAt: '2026-11-21T06:14:39.000Z',
    everyMs: 1_000,
    failed: [0, 0, 3],
    p50Ms: [3, null, 3],
    p99Ms: [11, null, 20],
    maxMs: [40, null, 40],
  })
})

test('longer columns lose no peak and no failure', () => {
  const columns = latencyColumns(
    Array.from({ length: 60 }, (_, i) => second(i, i === 33 ? { failed: 2, maxMs: 900 } : {})),
  )
  assert.ok(columns)
  const slow = thinnedLatency(columns, 10_000)
  assert.deepEqual(slow.maxMs, [40, 40, 40, 900, 40, 40])
  assert.deepEqual(slow.failed, [0, 0, 0, 2, 0, 0])
})

test('a night of eight hours has columns of some seconds', () => {
  const columns = latencyColumns(Array.from({ length: 8 * 3_600 }, (_, index) => second(index)))
  assert.equal(columns?.everyMs, 5_000)
  assert.equal(columns?.failed.length, 5_760)
})

test('the latency of a span is that of the columns in it', () => {
  const columns = latencyColumns([
    second(0, { p99Ms: 99 }),
    second(1),
    second(2, { failed: 4 }),
    second(3, { maxMs: 99 }),
  ])
  assert.ok(columns)
  assert.deepEqual(latencyOver(columns, START + 1_000, START + 3_000), {
    p50Ms: 3,
    worstP99Ms: 11,
    maxMs: 40,
    failed: 4,
  })
})
