import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SlowSeconds } from '../../../src/ground/model/probe.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { baselineMissing } from '../../../src/roll/decide/baseline.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import { aStep, backAgain, measured } from '../../support/measured-roll.ts'

/** Seconds up to the minute, of which the last ones are slow. */
const seconds = (count: number, good: number, slow: number, slowSeconds: number): SlowSeconds['seconds'] =>
  Array.from({ length: count }, (_, i) => ({
    at: wallMs(60_000 - (count - i) * 1000),
    good,
    slow: i >= count - slowSeconds ? slow : 0,
  }))

const LATENCY = {
  failedRequests: { inAll: 0, perNode: 0 },
  latency: [{ target: 'shop', slowerThanMs: 500, share: 0.01, overMs: 30_000 }],
}
const SINCE_DRAIN = [aStep('n1', 'drain', 5_000, 55_500), aStep('n2', 'drain', 55_500)]

const SLOW: readonly (readonly [title: string, seconds: SlowSeconds['seconds'], text: RegExp | undefined])[] = [
  ['exactly the share is slow', seconds(30, 100, 10, 3), undefined],
  [
    'one request more is slow',
    [...seconds(30, 100, 10, 3).slice(0, -1), { at: wallMs(59_000), good: 100, slow: 11 }],
    /^1 % of the requests to shop in 30 s took longer than 500 ms, and stop.latency allows 1 %: 31 at n2, drain$/,
  ],
  ['what was slow is over by now', seconds(60, 100, 50, 0).map((s, i) => (i < 29 ? { ...s, slow: 50 } : s)), undefined],
  ['too few requests, all of them slow', seconds(3, 10, 10, 3), undefined],
  ['too few requests, but more of them slow than the share of a full window', seconds(3, 20, 20, 3), /^2 % of/],
]

for (const [title, measuredSeconds, text] of SLOW) {
  test(`law: too few requests decide nothing about the latency; ${title}`, () => {
    const verdict = judge(measured({ stop: LATENCY, slow: [measuredSeconds], steps: SINCE_DRAIN }))
    if (text === undefined) assert.equal(verdict, undefined)
    else assert.match(verdict?.reasons[0]?.text ?? '', text)
  })
}

test('a service that became slow before its node is put back does not take the node out again, and one that is slow since does', () => {
  const slow = [seconds(30, 100, 20, 10)]
  assert.equal(judge(measured({ stop: LATENCY, slow, world: backAgain(59_500) }))?.keepOut, false)
  assert.equal(judge(measured({ stop: LATENCY, slow, world: backAgain(45_000) }))?.keepOut, true)
})

test('a service that is too slow before the roll begins is said so', () => {
  const { probe, spec } = measured({ stop: LATENCY, slow: [seconds(30, 100, 5, 30)] })
  const slow = { ...probe, lanes: [] }
  assert.deepEqual(baselineMissing(slow, wallMs(60_000), spec), [
    {
      code: 'BaselineSlow',
      object: 'shop',
      text: 'more than 1 % of the requests to shop took longer than 500 ms before the roll began',
    },
  ])
  const few = { ...slow, slow: [{ target: 'shop', slowerThanMs: 500, seconds: seconds(10, 9, 2, 1) }] }
  assert.deepEqual(
    baselineMissing(few, wallMs(60_000), spec).map(({ code }) => code),
    ['TrafficNotMeasured'],
  )
})
