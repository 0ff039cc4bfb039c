import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import { aPod, aRecord, aSnapshot, aWorkload, detachedEvidence, drained } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const out = { node: { unschedulable: true }, record: aRecord() }

test('the pods that count as here from the start are those that were here at the cordon', () => {
  const seen = (unschedulable: boolean, firstSeen: readonly string[]) =>
    observe(
      aSnapshot({ node: { unschedulable }, record: aRecord(), pods: [aPod('cart-a', 'n1')], evidence: { firstSeen } }),
    ).firstSeen
  assert.deepEqual([seen(false, []), seen(true, []), seen(true, ['uid-b'])], [[], ['uid-cart-a'], ['uid-b']])
})

test('a pod that came while the cordon was lifted is evicted, though another pod of its workload was evicted before', () => {
  const evicted = { 'uid-cart-a': { name: 'shop/cart-a', stage: 2, workload: 'ReplicaSet shop/cart' } }
  const look = (unschedulable: boolean, before: Partial<Evidence>): RollSnapshot => {
    const pods = [aPod('cart-b', 'n1'), aPod('cart-c', 'n2'), aPod('cart-d', 'n3')]
    const s = aSnapshot({ ...out, node: { unschedulable }, servers: drained(), pods, workloads: [aWorkload()] })
    const seen = { ...s, evidence: { ...s.evidence, ...before } }
    return { ...seen, evidence: observe(seen) }
  }
  const evidence = { ...detachedEvidence(), evicted, firstSeen: ['uid-cart-a'] }
  assert.equal(shortDecision(decide(look(true, evidence))), 'act reboot: writeIntent')
  const uncordoned = look(false, evidence)
  assert.equal(shortDecision(decide(look(true, uncordoned.evidence))), 'act drain: evict')
})

const EVICTED = {
  'uid-edge-a': { name: 'shop/edge-a', stage: 3, workload: 'DaemonSet shop/edge' },
  'uid-cart-a': { name: 'shop/cart-a', stage: 2, workload: 'ReplicaSet shop/cart' },
}
const WITHOUT_DAEMON_SETS = { ...EVICTED, 'uid-edge-a': { name: 'shop/edge-a', stage: 3 } }

/** In mid-drain; with or without our taint. */
const drainedBy = (taints: readonly (typeof OUT_TAINT)[]): RollSnapshot =>
  aSnapshot({
    record: aRecord(),
    node: { unschedulable: true, taints },
    pods: [aPod('cart-b', 'n1')],
    evidence: { firstSeen: ['uid-cart-a'], evicted: EVICTED },
  })

test('the drain of a node that registered anew begins anew, and counts what its DaemonSets put there as not put back', () => {
  const s = drainedBy([])
  assert.ok(s.current !== undefined)
  const anew = observe({ ...s, current: { ...s.current, recordLost: true } })
  assert.deepEqual([anew.firstSeen, anew.evicted], [[], WITHOUT_DAEMON_SETS])
})

test('what a DaemonSet puts on a node counts as put back only against our taint', () => {
  const [shut, open] = [observe(drainedBy([OUT_TAINT])), observe(drainedBy([]))]
  assert.deepEqual([shut.firstSeen, shut.evicted], [['uid-cart-a'], EVICTED])
  assert.deepEqual([open.firstSeen, open.evicted], [['uid-cart-a'], WITHOUT_DAEMON_SETS])
})
