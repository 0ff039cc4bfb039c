import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { blockedLimit, stuckLimitLeftMs } from '../../../src/roll/decide/blocked.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import type { BlockedSpec } from '../../../src/roll/model/roll-spec.ts'
import {
  ALL,
  type BlockedCase,
  blockedSnapshot,
  cart,
  lonely,
  NOW,
  only,
  refusal,
  released,
} from '../../support/blocked-world.ts'

const stuck = (...stuckReasons: readonly Reason[]): Partial<Evidence> => ({
  stuckSince: monoMs(NOW - 600_000),
  stuckReasons,
})
test('since when a pod may not leave is seen by this process alone, and begins again with the answer wait', () => {
  const since = (world: BlockedCase): unknown => observe(blockedSnapshot(world)).blocked
  const evictions = { [cart.uid]: refusal }
  assert.deepEqual(since({}), {})
  assert.deepEqual(since({ evidence: { evictions } }), { [cart.uid]: { since: NOW } })
  assert.deepEqual(since({ forMs: 7 }), { [cart.uid]: { since: NOW - 7 } })
  assert.deepEqual(since({ forMs: 7, answer: { kind: 'passing', text: '503' } }), { [cart.uid]: { since: NOW - 7 } })
  assert.deepEqual(since({ forMs: 7, answer: { kind: 'accepted' } }), {})
  assert.deepEqual(since({ evidence: { evictions: { [cart.uid]: { kind: 'throttled' } } } }), {})
  assert.deepEqual(since({ pods: [lonely] }), { [cart.uid]: { since: NOW } })
  assert.deepEqual(since({ pods: [lonely], evidence: { stuckStep: 'detach' } }), {})
  assert.deepEqual(since({ pods: [released] }), { [cart.uid]: { since: NOW } })
  assert.deepEqual(since({ pods: [released], ladder: only({ delete: true }) }), {})
  const held = stuck({ code: 'BudgetExhausted', object: 'shop/cart-a', text: 'a' })
  assert.deepEqual(since({ pods: [released], ladder: only({}), evidence: held }), { [cart.uid]: { since: NOW } })
  const waits = { ...cart, blockedAnswer: 'wait' }
  assert.deepEqual(since({ forMs: 7, pods: [waits] }), { [cart.uid]: { since: NOW, answer: 'wait' } })
  const heard = { blocked: { [cart.uid]: { since: monoMs(NOW - 7), answer: 'wait' } } }
  assert.deepEqual(since({ evidence: heard, pods: [waits] }), heard.blocked)
})

test('the ladder of a pod stands still while the API server is away', () => {
  const seen = (staleForMs: number): unknown => {
    const s = blockedSnapshot({ forMs: 7000, evidence: { passedAt: monoMs(NOW - 1000) } })
    return observe({ ...s, cluster: { ...s.cluster, staleForMs } }).blocked?.[cart.uid]
  }
  assert.deepEqual([seen(0), seen(1)], [{ since: NOW - 7000 }, { since: NOW - 6000 }])
})

const EXHAUSTED: Reason = { code: 'BudgetExhausted', object: 'shop/cart-a', text: 'a' }

test('the drain is not given up before the last rung of the pods that hold it is over', () => {
  const blocked = { [cart.uid]: { since: monoMs(NOW - 600_000) } }
  const left = (ladder: BlockedSpec, ...reasons: readonly Reason[]): number | undefined =>
    stuckLimitLeftMs(blockedSnapshot({ ladder, evidence: { blocked, ...stuck(...reasons) } }))
  assert.equal(left({ ...ALL, delete: false }, EXHAUSTED), 3_420_000)
  assert.equal(left(ALL, EXHAUSTED), 3_420_000 + 600_000)
  assert.equal(left(only({}), EXHAUSTED), 0)
  assert.equal(left(only({ waitMs: 660_000 }), EXHAUSTED), 60_000)
  const coming: Reason = { code: 'ReplacementNotReady', object: 'Deployment shop/pay', text: 'b' }
  assert.equal(left({ ...ALL, delete: false }, EXHAUSTED, coming), 3_420_000)
  const other: Reason = { code: 'BudgetExhausted', object: 'shop/pay-a', text: 'b' }
  assert.equal(left(ALL, EXHAUSTED, other), 0)
  assert.equal(left({ ...ALL, namespaces: ['pay'] }, EXHAUSTED), 0)
  const s = blockedSnapshot({ ladder: only({}), evidence: { blocked, ...stuck(EXHAUSTED) } })
  assert.deepEqual(blockedLimit(s), { kind: 'held', keepOut: false, reasons: [EXHAUSTED] })
})
