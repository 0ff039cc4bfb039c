import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { nodeResult } from '../../../src/roll/decide/node-result.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import type { NodeResult } from '../../../src/roll/model/roll-event.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { announced, back, cordoned, out, uncordoned } from '../../support/roll-stages.ts'
import { aPod, aRecord, aServer, aSnapshot } from '../../support/roll-world.ts'

const verdict: Verdict = { kind: 'aborted', keepOut: false, reasons: [] }
const returned = { bootId: 'another', at: monoMs(1), heartbeat: 'x' }
const stopped = (s: NodeSnapshot): NodeSnapshot => ({ ...s, run: { ...s.run, verdict } })
const gone = (s: NodeSnapshot): NodeSnapshot => ({ ...s, current: { ...s.current, absent: true } })
const through = { attachedAt: monoMs(990_000) }

const TABLE: readonly (readonly [s: NodeSnapshot, state: NodeResult['state'], text: string])[] = [
  [aSnapshot(), 'notTouched', 'not touched'],
  [stopped(aSnapshot()), 'notTouched', 'not touched'],
  [gone(aSnapshot()), 'gone', 'gone from the cluster, left out'],
  [gone(aSnapshot({ evidence: through })), 'inService', 'back in service'],
  [aSnapshot({ evidence: through }), 'inService', 'back in service'],
  [stopped(aSnapshot({ evidence: through })), 'restored', 'restored as it was'],
  [stopped(aSnapshot({ evidence: { ...through, returned } })), 'inService', 'back in service'],
  [gone(aSnapshot(out)), 'out', 'gone from the cluster, detached'],
  [gone(aSnapshot(cordoned)), 'out', 'gone from the cluster, attached'],
  [aSnapshot(cordoned), 'out', 'not rebooted, cordoned, attached'],
  [aSnapshot({ record: aRecord() }), 'out', 'not rebooted, uncordoned, attached'],
  [aSnapshot(out), 'out', 'not rebooted, cordoned, detached'],
  [aSnapshot(announced), 'out', 'may be rebooting, cordoned, detached; it stays so until proven'],
  [aSnapshot(back), 'out', 'rebooted, cordoned, detached'],
  [aSnapshot(uncordoned), 'out', 'rebooted, uncordoned, detached'],
]

for (const [s, state, text] of TABLE) {
  test(`a node stands as ${state}: ${text}`, () => {
    const found = nodeResult(s, undefined, 0)
    assert.deepEqual([found.state, found.text], [state, text])
  })
}

test('a node that is out says in which step it stands, what moved, and what failed', () => {
  const evicted = { 'uid-a': { name: 'shop/a', stage: 1 }, 'uid-b': { name: 'shop/b', stage: 2 } }
  const s = aSnapshot({ ...out, evidence: { ...out.evidence, evicted } })
  const facts = { node: 'n1', state: 'out', cordoned: true, detached: true, podsMoved: 2, failedRequests: 3 }
  const text = 'not rebooted, cordoned, detached'
  assert.deepEqual(nodeResult(s, 'drain', 3), { ...facts, step: 'drain', text })
  assert.deepEqual(nodeResult(s, undefined, 3), { ...facts, text })
})

test('a pod whose eviction was not answered has moved only where it leaves or is gone', () => {
  const evicted = { 'uid-cart-a': { name: 'shop/cart-a', stage: 2 } }
  const movedOf = (pods: readonly Pod[], evictions: Evidence['evictions'] = {}) =>
    nodeResult(aSnapshot({ ...out, pods, evidence: { ...out.evidence, evicted, evictions } }), 'drain', 0).podsMoved
  const here = aPod('cart-a', 'n1')
  assert.deepEqual([movedOf([here]), movedOf([{ ...here, terminating: true }]), movedOf([])], [0, 1, 1])
  assert.equal(movedOf([here], { 'uid-cart-a': { kind: 'accepted' } }), 1, 'a watch may be late')
})

test('a node that has another address now is detached by what became of its recorded servers', () => {
  const node = { internalAddresses: ['10.0.0.77'] }
  const at = (adminState: 'drain' | 'ready') =>
    nodeResult(aSnapshot({ node, record: aRecord(), servers: [aServer('n1', { adminState })] }), undefined, 0).detached
  assert.deepEqual([at('drain'), at('ready')], [true, false])
  assert.equal(nodeResult(aSnapshot({ node, record: aRecord(), servers: [] }), undefined, 0).detached, false)
})
