import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unschedulable } from '../../../src/ground/kube/unschedulable.ts'
import type { ReasonCode } from '../../../src/ground/model/reason.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { Decision } from '../../../src/roll/model/decision.ts'
import { settled, withPort } from '../../support/roll-stages.ts'
import { aPod, aRecord, aSnapshot, aSpec, aWorkload } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const CART = 'ReplicaSet shop/cart'
const ready = withPort(aSnapshot(settled))
const short = (s: RollSnapshot): string => shortDecision(decide(s))

/** Settled but for its workload, of which there are these pods. */
const carrying = (pods: readonly ReturnType<typeof aPod>[]): RollSnapshot =>
  withPort(aSnapshot({ ...settled, record: aRecord({ workloads: { [CART]: 2 } }), workloads: [aWorkload()], pods }))

test('a node is settled when its workloads are back, and not before', () => {
  assert.equal(short(carrying([aPod('cart-a', 'n2'), aPod('cart-b', 'n3')])), 'act attach: setServer ready')
  assert.equal(short(carrying([aPod('cart-a', 'n2')])), 'hold settle: ReplacementNotReady')
})

test('a node settles also where a pod was put back on a node of another lane, which is to go down: only a drain waits for it', () => {
  const s = carrying([aPod('cart-a', 'n2'), aPod('cart-b', 'n3')])
  const beside = [{ node: 'n3', goesFirst: false, isLeaving: true, putBack: ['uid-cart-b'] }]
  assert.equal(short({ ...s, run: { ...s.run, beside } }), 'act attach: setServer ready')
})

test('a pod that can only run on the node that is back is waited for, since nothing keeps it from there now', () => {
  const { nodeName: _nowhere, ...pending } = aPod('cart-b', 'n1', {
    ready: false,
    phase: 'Pending',
    unschedulable: unschedulable('0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.'),
  })
  assert.equal(short(carrying([aPod('cart-a', 'n2'), pending])), 'hold settle: OnlyThisNodeCures')
})

test('a node is not settled by an old view of the cluster', () => {
  assert.equal(short({ ...ready, cluster: { ...ready.cluster, staleForMs: 1 } }), 'hold settle: ApiUnreachable')
})

test('a node is not settled without the cluster DNS, where there was one', () => {
  const withDns = withPort(aSnapshot({ ...settled, record: aRecord({ dnsReady: 2 }) }))
  assert.equal(short(withDns), 'hold settle: DnsNotReady')
})

test('a process that resumes a roll lets no node settle before its traffic is measured', () => {
  const probe = { startedAt: wallMs(ready.wall), lanes: [], windows: [], notMeasured: [], greenStreak: 0 }
  const spec = aSpec({ probe: { targets: [], baselineMs: 10_000, baselineLimitMs: 120_000 } })
  assert.equal(short({ ...ready, probe, spec }), 'hold settle: BaselineShort')
})

/** What is known after a look that found it settled, or did not. */
function looked(before: Partial<Evidence>, code: ReasonCode): readonly unknown[] {
  const s = aSnapshot({ ...settled, evidence: { ...settled.evidence, ...before } })
  const decision: Decision = { kind: 'hold', step: 'settle', reasons: [{ code, text: 'x' }], recheckAfterMs: 500 }
  const { settledInARow, settledAt } = rememberDecision(s, decision)
  return [settledInARow, settledAt]
}

test('looks count as several in a row half a second apart, and a bad one begins anew', () => {
  const twice = (settledAt: number) => ({ settledInARow: 2, settledAt: monoMs(settledAt) })
  assert.deepEqual(looked(twice(999_996), 'SettledOnce'), [2, 999_996])
  assert.deepEqual(looked(twice(999_500), 'SettledOnce'), [3, 1_000_000])
  assert.deepEqual(looked(twice(999_500), 'DnsNotReady'), [0, undefined])
})

test('a node that was found settled once is looked at as often as the file asks', () => {
  const found = (settledInARow: number): string =>
    short(withPort(aSnapshot({ ...settled, evidence: { ...settled.evidence, settledInARow } })))
  assert.deepEqual([1, 2, 3].map(found), [
    'hold settle: SettledOnce',
    'hold settle: SettledOnce',
    'act attach: setServer ready',
  ])
})
