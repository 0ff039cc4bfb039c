import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lane } from '../../../../src/ground/model/probe.ts'
import { lanePeriodMs } from '../../../../src/roll/decide/availability/lane-period.ts'
import { aTarget } from './a-sample.ts'

const TARGETS = [
  aTarget({ keptShare: 0.2 }),
  aTarget({ name: 'api', ratePerSecond: 10, keptShare: 0 }),
  aTarget({ name: 'elsewhere', control: true }),
]

const PERIODS: readonly (readonly [target: string, lane: Lane, periodMs: number])[] = [
  ['web', 'new', 12.5],
  ['web', 'kept', 50],
  ['api', 'new', 100],
  ['api', 'kept', 0],
  ['nowhere', 'new', 0],
]

for (const [target, lane, periodMs] of PERIODS) {
  test(`requests of ${target} over ${lane} connections are ${periodMs} ms apart`, () => {
    assert.equal(lanePeriodMs(TARGETS, { target, lane }), periodMs)
  })
}
