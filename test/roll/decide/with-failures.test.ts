import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../src/ground/model/probe.ts'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { requestsFailed } from '../../../src/roll/decide/requests-failed.ts'
import { withFailures } from '../../../src/roll/decide/with-failures.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { aSnapshot } from '../../support/roll-world.ts'

const failed = (text: string): Reason => ({ code: 'RequestsFailed', text })
const other = (text: string): Reason => ({ code: 'NotUp', text })
const verdict = (...reasons: readonly Reason[]): Verdict => ({ kind: 'stopped', keepOut: true, reasons })
const texts = ({ reasons }: Verdict): string => reasons.map(({ text }) => text).join(' ')

test('what is said of failures is said anew in its place, between what else was said', () => {
  const standing = verdict(other('a'), failed('1'), other('b'), failed('2'))
  assert.equal(texts(withFailures(standing, [failed('3'), failed('4')])), 'a 3 4 b')
  assert.equal(texts(withFailures(verdict(failed('1'), failed('2')), [failed('1')])), '1')
  assert.equal(texts(withFailures(verdict(failed('1'), failed('2')), [failed('1'), failed('3')])), '1 3')
  assert.equal(texts(withFailures(verdict(failed('1')), [failed('1'), failed('2')])), '1 2')
})

test('a verdict with nothing new to say is the very one that stood', () => {
  const standing = verdict(other('a'), failed('1'))
  assert.equal(withFailures(standing, []), standing)
  assert.equal(withFailures(standing, [failed('1')]), standing)
  const without = verdict(other('a'))
  assert.equal(withFailures(without, [failed('1')]), without)
})

test('of many failed windows the first ten are reported', () => {
  const windows = Array.from(
    { length: 12 },
    (_, at): FailureWindow => ({
      target: `shop-${at}`,
      control: false,
      lane: 'kept',
      sent: 10,
      failed: 4,
      failures: { connect: 4 },
      firstError: 'ECONNREFUSED',
      firstBadAt: wallMs(5000 + at),
      lastBadAt: wallMs(5000 + at),
    }),
  )
  const s = aSnapshot()
  const probe = {
    startedAt: wallMs(0),
    lanes: [],
    windows,
    notMeasured: [],
    greenStreak: 0,
  }
  const reasons = requestsFailed({ ...s, run: { ...s.run, measuredSince: wallMs(1000) }, probe })
  assert.equal(reasons.length, 10)
  assert.deepEqual(reasons[9], {
    code: 'RequestsFailed',
    object: 'shop-9',
    text: '4 of 10 requests to shop-9 failed (kept): ECONNREFUSED',
  })
})
