import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lane } from '../../../../src/ground/model/probe.ts'
import { downtime, union } from '../../../../src/roll/decide/availability/downtime.ts'
import { LaneWindows } from '../../../../src/roll/decide/availability/lane-windows.ts'
import { at, samplesOf } from './a-sample.ts'

const windowsOf = (drawing: string, lane: Lane = 'new') => {
  const windows = new LaneWindows(20)
  for (const sample of samplesOf(drawing, 20, lane)) windows.record(sample)
  return windows.ended()
}
const measured = { from: at(0), to: at(1_000), notMeasured: [] }

test('downtime is bounded by the bad samples and by the good ones around them', () => {
  assert.deepEqual(downtime(windowsOf('..xxxx....'), measured), { lowMs: 60, highMs: 100 })
  assert.deepEqual(downtime(windowsOf('..x....'), measured), { lowMs: 0, highMs: 40 })
  assert.deepEqual(downtime([], measured), { lowMs: 0, highMs: 0 })
})

test('the same outage seen by two lanes counts once', () => {
  const both = [...windowsOf('..xxxx....'), ...windowsOf('...xxxxx....', 'kept')]
  assert.deepEqual(downtime(both, measured), { lowMs: 100, highMs: 140 })
})

test('an edge never seen is the edge of what was measured', () => {
  assert.deepEqual(downtime(windowsOf('xx....'), measured), { lowMs: 20, highMs: 40 })
  assert.deepEqual(downtime(windowsOf('..xx'), measured), { lowMs: 20, highMs: 980 })
})

test('time in which nothing was measured is no proof of downtime', () => {
  const windows = windowsOf('.xx________xx.....')
  const gap = { from: at(60), to: at(220) }
  assert.deepEqual(downtime(windows, { ...measured, notMeasured: [gap] }), { lowMs: 60, highMs: 260 })
})

test('spans that touch or overlap are one', () => {
  const spans = [
    { from: at(50), to: at(60) },
    { from: at(0), to: at(20) },
    { from: at(20), to: at(30) },
    { from: at(5), to: at(10) },
    { from: at(70), to: at(70) },
  ]
  assert.deepEqual(union(spans), [
    { from: at(0), to: at(30) },
    { from: at(50), to: at(60) },
  ])
})
