import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from '../../../../src/ground/model/probe.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { LatencySeconds } from '../../../../src/roll/decide/availability/latency-seconds.ts'

const START = Date.parse('2026-11-21T06:14:39.000Z')

const sample = (ms: number, facts: Partial<Sample> = {}): Sample => ({
  target: 'shop',
  control: false,
  lane: 'new',
  scheduledAt: wallMs(START + ms),
  startedLateMs: 0,
  verdict: 'ok',
  latencyMs: 4,
  ...facts,
})

test('a second has the latency of its good requests, and counts those that failed beside them', () => {
  const seconds = new LatencySeconds(2_000)
  const early = seconds.add([
    sample(0),
    sample(500, { latencyMs: 40 }),
    sample(700, { verdict: 'failed', latencyMs: 2_000 }),
  ])
  assert.deepEqual(early, [])
  const [row, ...more] = seconds.rest()
  assert.deepEqual(more, [])
  assert.deepEqual([row?.at, row?.good, row?.failed, row?.maxMs], ['2026-11-21T06:14:39.000Z', 2, 1, 40])
  assert.ok(row?.p50Ms !== null && Math.abs((row?.p50Ms ?? 0) - 4) < 0.1)
})

test('a second is complete when the time-out of its last request is over, so an answer that comes late is in it', () => {
  const seconds = new LatencySeconds(2_000)
  seconds.add([sample(0)])
  assert.deepEqual(seconds.add([sample(3_900)]), [])
  seconds.add([sample(990, { latencyMs: 1_999 })])
  const done = seconds.add([sample(4_000)])
  assert.deepEqual(
    done.map(({ good, maxMs }) => [good, maxMs]),
    [[2, 1_999]],
  )
})

test('a control, and a request that was not sent, say nothing of the service', () => {
  const seconds = new LatencySeconds(2_000)
  seconds.add([sample(0, { control: true }), sample(10, { verdict: 'skipped', latencyMs: 0 })])
  assert.deepEqual(seconds.rest(), [])
})

test('a second in which every request failed has no latency', () => {
  const seconds = new LatencySeconds(2_000)
  seconds.add([sample(0, { verdict: 'failed' })])
  assert.deepEqual(seconds.rest(), [
    { at: '2026-11-21T06:14:39.000Z', good: 0, failed: 1, p50Ms: null, p99Ms: null, maxMs: null },
  ])
})
