import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import { plain } from '../../support/plain.ts'
import { out } from '../../support/roll-stages.ts'
import { aPod, aRecord, aSnapshot, aSpec } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const MARK = 'cluster-autoscaler.kubernetes.io/safe-to-evict'

const on = (pod: Partial<Pod>, safeToEvict: RollSpec['drain']['safeToEvict'] = 'hold', node = 'n1'): NodeSnapshot => {
  const spec = aSpec({ drain: { ...aSpec().drain, ...(safeToEvict === undefined ? {} : { safeToEvict }) } })
  return aSnapshot({ pods: [aPod('train-1', node, { notSafeToEvict: [MARK], ...pod })], change: { spec } })
}

const BEGUN = 'act record: writeRecord'
const ROWS: readonly (readonly [title: string, snapshot: NodeSnapshot, decision: string])[] = [
  ['a pod that says so', on({}), 'hold record: PodNotSafeToEvict'],
  ['a pod that may be evicted', { ...on({}), cluster: aSnapshot({ pods: [aPod('cart-1', 'n1')] }).cluster }, BEGUN],
  ['a pod of another node', on({}, 'hold', 'n2'), BEGUN],
  ['a pod that has ended', on({ phase: 'Succeeded' }), BEGUN],
  ['a pod that is on its way', on({ terminating: true }), BEGUN],
  ['a pod of a DaemonSet, which stays', on({ controller: { kind: 'DaemonSet', name: 'd', uid: 'd' } }), BEGUN],
  ['a static pod', on({ mirror: true }), BEGUN],
  ['the file, which ignores them', on({}, 'ignore'), BEGUN],
  ['the file, which says nothing: the plan alone warns', { ...on({}), spec: aSpec() }, BEGUN],
]

for (const [title, snapshot, decision] of ROWS) {
  test(`pods that are not safe to evict, before a node is begun: ${title}`, () =>
    assert.equal(shortDecision(decide(snapshot)), decision))
}

test('a pod that came between the record and the cordon holds the cordon', () => {
  const { spec } = on({})
  const pods = [aPod('train-1', 'n1', { notSafeToEvict: [MARK] })]
  const decided = decide(aSnapshot({ record: aRecord(), pods, change: { spec } }))
  assert.equal(shortDecision(decided), 'hold cordon: PodNotSafeToEvict')
})

test('once the node is out it is drained: the pod of a node that an earlier process took is evicted', () => {
  const pods = [aPod('train-1', 'n1', { notSafeToEvict: [MARK] })]
  const decided = decide(aSnapshot({ ...out, pods, change: { spec: on({}).spec } }))
  assert.match(shortDecision(decided), /^act drain: evict/)
})

test('the hold names the pod and the command that lifts it', () => {
  const decided = decide(on({}))
  assert.equal(decided.kind, 'hold')
  assert.deepEqual(plain(decided.reasons), [
    {
      code: 'PodNotSafeToEvict',
      object: 'shop/train-1',
      text: 'shop/train-1 says that it is not to be evicted (cluster-autoscaler.kubernetes.io/safe-to-evict: "false"), and runs on n1',
      next: 'let it end, or: kubectl -n shop annotate pod train-1 cluster-autoscaler.kubernetes.io/safe-to-evict-',
    },
  ])
})

test('of a pod with two such annotations the hold names both, and the command takes both off', () => {
  const decided = decide(on({ notSafeToEvict: [MARK, 'karpenter.sh/do-not-disrupt'] }))
  assert.equal(decided.kind, 'hold')
  const [reason] = plain(decided.reasons) as readonly { readonly text: string; readonly next: string }[]
  assert.match(
    reason?.text ?? '',
    /\(cluster-autoscaler\.kubernetes\.io\/safe-to-evict: "false", karpenter\.sh\/do-not-disrupt: "true"\)/,
  )
  assert.match(
    reason?.next ?? '',
    /annotate pod train-1 cluster-autoscaler\.kubernetes\.io\/safe-to-evict- karpenter\.sh\/do-not-disrupt-$/,
  )
})
