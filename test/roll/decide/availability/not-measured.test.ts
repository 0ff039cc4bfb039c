import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NotMeasured } from '../../../../src/roll/decide/availability/not-measured.ts'
import { aSample, at, samplesOf } from './a-sample.ts'

/** From the first start at 0 on; `.` a sample that was sent, `_` one that was skipped, one every 20 ms. */
function after(drawing: string): NotMeasured {
  const gaps = new NotMeasured(at(-200))
  gaps.started(at(0), true)
  for (const sample of samplesOf(drawing, 20)) gaps.record(sample)
  gaps.beat(at(drawing.length * 20))
  return gaps
}

const gapsAt = (gaps: NotMeasured, ms: number, ended = false): readonly (readonly [number, number])[] =>
  gaps.spans(at(ms), ended).map(({ from, to }) => [from - at(0), to - at(0)])

const STALLS: readonly (readonly [drawing: string, askedAt: number, gaps: readonly (readonly [number, number])[]])[] = [
  ['..', 40, []],
  ['.___', 80, []],
  ['.____', 119, []],
  ['.____', 120, [[20, 120]]],
  ['.____.', 130, []],
  ['._____.', 150, [[20, 120]]],
  [
    '._____._',
    260,
    [
      [20, 120],
      [140, 260],
    ],
  ],
]

for (const [drawing, askedAt, gaps] of STALLS) {
  test(`a prober with the samples ${drawing} has ${gaps.length} gaps at ${askedAt} ms`, () => {
    assert.deepEqual(gapsAt(after(drawing), askedAt), gaps)
  })
}

test('each target has its own gaps', () => {
  const gaps = after('.____')
  gaps.record(aSample({ ms: 60, changes: { target: 'api' } }))
  gaps.record(aSample({ ms: 130, verdict: 'skipped', changes: { target: 'api' } }))
  assert.deepEqual(gapsAt(gaps, 300), [
    [20, 300],
    [130, 300],
  ])
})

test('each lane of a target has its own gaps: new connections that this machine cannot open are not measured by kept ones', () => {
  const gaps = new NotMeasured(at(-200))
  gaps.started(at(0), true)
  for (let ms = 0; ms < 400; ms += 20) {
    gaps.record(aSample({ ms, verdict: ms < 100 ? 'ok' : 'skipped' }))
    gaps.record(aSample({ ms: ms + 10, lane: 'kept' }))
  }
  gaps.beat(at(400))
  assert.deepEqual(gapsAt(gaps, 400), [[100, 400]])
  gaps.record(aSample({ ms: 400 }))
  assert.deepEqual(gapsAt(gaps, 420), [[100, 400]])
})

test('silence is a gap after more than half a second, but not after the end of the probe', () => {
  const gaps = after('.....')
  assert.deepEqual(gapsAt(gaps, 600), [])
  assert.deepEqual(gapsAt(gaps, 601), [[100, 601]])
  assert.deepEqual(gapsAt(gaps, 601, true), [])
})

test('a prober that is reported dead twice has one gap, from the first report on', () => {
  const gaps = after('.....')
  gaps.down(at(90))
  gaps.down(at(300))
  assert.deepEqual(gapsAt(gaps, 400), [[90, 400]])
})

test('a stall before the death of the prober stays a gap after the next start', () => {
  const gaps = after('.____________________')
  gaps.down(at(400))
  gaps.started(at(1_000), false)
  assert.deepEqual(gapsAt(gaps, 1_020), [
    [20, 400],
    [400, 1_000],
  ])
  gaps.record(aSample({ ms: 1_020 }))
  assert.equal(gapsAt(gaps, 1_100).length, 2)
})
