import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaveMs, refusalsNeeded, returnMs, soonestLeaveMs } from '../../../src/service/decide/detection-time.ts'
import type { EndpointChecks } from '../../../src/service/model/health-endpoint.ts'

const checks = (change: Partial<EndpointChecks> = {}): EndpointChecks => ({
  intervalMs: 2_000,
  fall: 3,
  rise: 2,
  drainsAtOnce: false,
  slackMs: 0,
  ...change,
})

/** Until HAProxy 2.6 had left a server that answered 503: the longest of five trials each. */
const MEASURED: readonly (readonly [Partial<EndpointChecks>, longestMs: number, computedMs: number])[] = [
  [{}, 5_817, 6_000],
  [{ fastIntervalMs: 500 }, 2_992, 3_000],
  [{ intervalMs: 1_000, fall: 1 }, 954, 1_000],
  [{ intervalMs: 5_000, fall: 2 }, 9_214, 10_000],
  [{ intervalMs: 10_000, fastIntervalMs: 1_000 }, 11_698, 12_000],
  [{ drainsAtOnce: true }, 1_995, 2_000],
]

test('no measured balancer left later than what is computed from its checks', () => {
  assert.deepEqual(
    MEASURED.map(([change]) => leaveMs(checks(change))),
    MEASURED.map(([, , computedMs]) => computedMs),
  )
  assert.deepEqual(
    MEASURED.filter(([, longestMs, computedMs]) => longestMs > computedMs),
    [],
  )
})

test('slack is waited on top', () => {
  assert.equal(leaveMs(checks({ slackMs: 1_500 })), 7_500)
  assert.equal(returnMs(checks({ slackMs: 1_500 })), 5_500)
})

test('the way back goes by the longest interval of a server that is down, then by rise', () => {
  assert.equal(returnMs(checks()), 4_000)
  assert.equal(returnMs(checks({ downIntervalMs: 10_000, fastIntervalMs: 500, rise: 3 })), 11_000)
  assert.equal(returnMs(checks({ downIntervalMs: 500, rise: 1 })), 2_000)
})

test('one refusal is enough where one answer drains', () => {
  assert.equal(refusalsNeeded(checks()), 3)
  assert.equal(refusalsNeeded(checks({ drainsAtOnce: true })), 1)
})

test('a balancer whose checks get no answer leaves after `fall` - 1 of its shorter intervals at the soonest', () => {
  assert.equal(soonestLeaveMs(checks()), 4_000)
  assert.equal(soonestLeaveMs(checks({ fastIntervalMs: 500 })), 1_000)
  assert.equal(soonestLeaveMs(checks({ fastIntervalMs: 5_000 })), 4_000)
  assert.equal(soonestLeaveMs(checks({ fall: 1 })), 0)
})
