import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
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

/** People took the cordon off after an earlier process had announced the reboot, and a pod has come. */
function reopened(unschedulable: boolean, before: Partial<Evidence> = {}, change: Partial<Node> = {}): RollSnapshot {
  const pods = [aPod('cart-b', 'n1'), aPod('cart-c', 'n2'), aPod('cart-d', 'n3')]
  const node = { unschedulable, ...change }
  const world = { record: aRecord(), announced: true, servers: drained(), pods, workloads: [aWorkload()] }
  const s = aSnapshot({ ...world, node, evidence: { ...detachedEvidence(), awaySince: monoMs(0), ...before } })
  return { ...s, evidence: observe(s) }
}

test('pods that came while people had the cordon off leave before the reboot that was announced is sent again, whatever the verdict', () => {
  const found = reopened(false)
  assert.equal(shortDecision(decide(found)), 'act cordon: cordon')
  const { evidence } = found
  const again = reopened(true, evidence)
  assert.equal(shortDecision(decide(again)), 'act drain: evict')
  const verdict = { kind: 'aborted', keepOut: false, reasons: [] } as const
  assert.equal(shortDecision(decide({ ...again, run: { ...again.run, verdict } })), 'act drain: evict')
  assert.equal(shortDecision(decide(reopened(true, evidence, { ready: 'Unknown' }))), 'act reboot: sendReboot')
  assert.equal(shortDecision(decide(reopened(true))), 'act reboot: sendReboot')
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
