import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { TO_COME_KEY, toComeTaint } from '../../../src/ground/model/to-come.ts'
import { buildRecord } from '../../../src/roll/decide/build-record.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { marksLeft } from '../../../src/roll/decide/nodes-to-come.ts'
import { rememberOutcome } from '../../../src/roll/decide/remember-outcome.ts'
import type { Action } from '../../../src/service/model/action.ts'
import { proven } from '../../support/roll-stages.ts'
import { aNode, aSnapshot, aSpec } from '../../support/roll-world.ts'

const PREFER_DONE = aSpec({ drain: { ...aSpec().drain, preferDone: true } })
const MARK = toComeTaint('run-1')
const THEIRS = toComeTaint('run-9')
const marked = (name: string): Node => aNode(name, { taints: [MARK] })

/** n1 under way, unless told otherwise, of a roll of n1, n2 and n3 in a cluster that has n4 as well. */
function at(nodes: readonly Node[], change: Partial<NodeSnapshot> = {}): NodeSnapshot {
  const s = aSnapshot({ change: { spec: PREFER_DONE } })
  const current = {
    ...s.current,
    node: nodes.find(({ name }) => name === (change.current?.node.name ?? 'n1')) ?? s.current.node,
  }
  return { ...s, ...change, current, cluster: { ...s.cluster, nodes } }
}

const said = (s: NodeSnapshot): readonly string[] => {
  const decision = decide(s)
  return decision.kind === 'act' ? decision.actions.map(({ kind, node }) => `${kind} ${node}`) : [decision.kind]
}

const fresh = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name))

test('before the record of the first node all nodes after it are marked, and none that is not rolled', () => {
  assert.deepEqual(said(at(fresh)), ['markToCome n2', 'markToCome n3'])
  assert.deepEqual(said({ ...at(fresh), spec: aSpec() }), ['writeRecord n1'])
})

test('a node that is begun loses its mark before its record is written', () => {
  const nodes = [aNode('n1'), marked('n2'), marked('n3'), aNode('n4')]
  const { current } = aSnapshot({ node: { name: 'n2' } })
  const second = at(nodes, { current, run: { id: 'run-1', order: ['n1', 'n2', 'n3'], done: ['n1'] } })
  assert.deepEqual(said(second), ['unmarkToCome n2'])
  const after = { ...second, current: { ...second.current, node: aNode('n2') } }
  assert.deepEqual(said(after), ['writeRecord n2'])
})

test('the mark of another run is left where it is, and no record holds a mark', () => {
  const nodes = [aNode('n1', { taints: [THEIRS] }), aNode('n2', { taints: [THEIRS] }), marked('n3'), aNode('n4')]
  assert.deepEqual(said(at(nodes)), ['writeRecord n1'])
  const gpu = { key: 'gpu', effect: 'NoSchedule' }
  const s = aSnapshot({ node: { taints: [MARK, gpu] } })
  assert.deepEqual(buildRecord(s).taints, [gpu])
  assert.deepEqual(
    marksLeft(nodes, 'run-1').map(({ node }) => node),
    ['n3'],
  )
})

test('a node that the roll leaves out after all loses its mark with the next record', () => {
  assert.deepEqual(said(at([aNode('n1'), marked('n2'), marked('n3'), marked('n4')])), ['unmarkToCome n4'])
})

test('no more than eight marks are written at a time', () => {
  const names = Array.from({ length: 20 }, (_, i) => `n${i + 1}`)
  const s = at(
    names.map((name) => aNode(name)),
    { run: { id: 'run-1', order: names, done: [] } },
  )
  assert.equal(said(s).length, 8)
})

const outcomes = (s: NodeSnapshot, action: Action, ok: boolean, times = 1): NodeSnapshot => {
  const outcome = ok ? ({ ok } as const) : ({ ok, code: 'KUBE', error: 'no', retryInMs: 0 } as const)
  return Array.from({ length: times }).reduce<NodeSnapshot>(
    (seen) => ({ ...seen, evidence: rememberOutcome(seen, action, outcome) }),
    s,
  )
}

test('what was written is not written again while the watch does not show it', () => {
  const s = outcomes(at(fresh), { kind: 'markToCome', node: 'n2' }, true)
  assert.deepEqual(said(s), ['markToCome n3'])
})

test('a node that cannot be marked holds up no roll, but one that keeps its own mark is not begun', () => {
  const action = (node: string): Action => ({ kind: 'markToCome', node })
  const s = outcomes(outcomes(at(fresh), action('n2'), false, 3), action('n3'), false, 2)
  assert.deepEqual(said(s), ['markToCome n3'])
  assert.deepEqual(said(outcomes(s, action('n3'), false)), ['writeRecord n1'])
  const own = at([marked('n1'), ...fresh.slice(1)], { run: { id: 'run-1', order: ['n1'], done: [] } })
  assert.deepEqual(said(outcomes(own, { kind: 'unmarkToCome', node: 'n1' }, false, 9)), ['unmarkToCome n1'])
})

test('nothing is marked while a guard holds the node', () => {
  assert.deepEqual(said({ ...at(fresh), journalWritable: false }), ['hold'])
})

test('a mark is no taint that the proof of a node waits for', () => {
  const s = aSnapshot({ ...proven, node: { ...proven.node, taints: [THEIRS] } })
  assert.deepEqual(said(s), ['uncordon n1'])
  assert.equal(THEIRS.key, TO_COME_KEY)
})
