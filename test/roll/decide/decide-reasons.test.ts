import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import type { Action } from '../../../src/service/model/action.ts'
import { announced, cordoned, out } from '../../support/roll-stages.ts'
import { aRecord, aServer, aSnapshot, detachedEvidence } from '../../support/roll-world.ts'

const reasons: readonly Reason[] = [{ code: 'RequestsFailed', text: 'x' }]
const verdict = (keepOut: boolean): Verdict => ({ kind: 'stopped', keepOut, reasons })
const withRun = (s: NodeSnapshot, run: Partial<NodeSnapshot['run']>): NodeSnapshot => ({
  ...s,
  run: { ...s.run, ...run },
})
const withCurrent = (s: NodeSnapshot, current: Partial<NodeSnapshot['current']>): NodeSnapshot => ({
  ...s,
  current: { ...s.current, ...current },
})

test('without a node under way there is nothing to do', () => {
  const { current: _, ...none } = aSnapshot()
  assert.deepEqual(decide(none), {
    kind: 'settled',
    reasons: [{ code: 'NothingUnderWay', text: 'no node is under way' }],
  })
})

const THROUGH: readonly (readonly [title: string, s: NodeSnapshot, step: 'slot' | 'soak'])[] = [
  ['is through', aSnapshot({ evidence: { attachedAt: monoMs(990_000) } }), 'soak'],
  ['was brought through by an earlier process', withRun(aSnapshot(), { done: ['n1'] }), 'slot'],
  ['is given up before it began', withRun(aSnapshot(), { verdict: verdict(false) }), 'slot'],
  ['is gone from the cluster', withCurrent(aSnapshot(), { absent: true }), 'slot'],
]

for (const [title, s, step] of THROUGH) {
  test(`a node that ${title} gives its slot back, and then it is done`, () => {
    assert.deepEqual(decide(s), {
      kind: 'act',
      step,
      actions: [{ kind: 'releaseSlot', node: 'n1' }],
      reasons: [{ code: 'NothingLeft', object: 'n1', text: 'nothing of this run is left on the node' }],
    })
    assert.deepEqual(decide({ ...s, slot: { state: 'free', mayAct: false } }), {
      kind: 'settled',
      reasons: [{ code: 'NodeDone', object: 'n1', text: 'every step is done' }],
    })
  })
}

test('a node that is shown as it was before its reboot is old news once it is through', () => {
  assert.deepEqual(decide(withRun(aSnapshot(out), { done: ['n1'] })), {
    kind: 'hold',
    step: 'record',
    reasons: [
      {
        code: 'OldNews',
        object: 'n1',
        text: 'the API server shows n1 as it was before its reboot, although the run has finished it',
      },
    ],
    recheckAfterMs: 500,
  })
})

test('a node that was registered anew gets its record back before anything else', () => {
  assert.deepEqual(decide(withCurrent(aSnapshot(cordoned), { recordLost: true })), {
    kind: 'act',
    step: 'detach',
    actions: [{ kind: 'writeRecord', node: 'n1', record: aRecord() }],
    reasons: [
      {
        code: 'RecordLost',
        object: 'n1',
        text: 'n1 has lost the record of its state before the roll: it was registered again, or others took the record off',
      },
    ],
  })
})

/** The command was sent, or only announced, and the server of n1 is not told yet. */
const ANNOUNCED = { ...announced, servers: [aServer('n1'), aServer('n2')] }
const SENT = { reboot: { at: monoMs(999_999), answer: { kind: 'sent' } } } as const

test('an announced reboot that this process has not sent goes the whole way down again, cordon first', () => {
  const stepOf = (s: NodeSnapshot) => {
    const decision = decide(s)
    return decision.kind === 'settled' ? 'settled' : decision.step
  }
  const at = (evidence: object) =>
    aSnapshot({ ...ANNOUNCED, node: {}, evidence: { ...detachedEvidence(), ...evidence } })
  assert.equal(stepOf(at({ intentByUs: true })), 'cordon')
  assert.equal(stepOf(withRun(at({ intentByUs: true }), { verdict: verdict(false) })), 'detach')
  assert.equal(stepOf(at({ intentByUs: true, ...SENT })), 'detach')
  assert.equal(stepOf(at({})), 'detach')
})

const takeSlot = (s: NodeSnapshot, notBefore: number) => {
  const retries = { 'takeSlot n1': { failures: 1, notBefore: monoMs(notBefore), error: 'no answer' } }
  const decision = decide({ ...s, evidence: { ...s.evidence, retries } })
  return decision.kind === 'hold'
    ? [decision.recheckAfterMs, decision.reasons.map(({ code }) => code)]
    : [decision.kind]
}

test('what failed is held with what it was refused with until it may be tried again', () => {
  const free = aSnapshot({ change: { slot: { state: 'free', mayAct: false } } })
  assert.deepEqual(takeSlot(free, 1_000_700), [700, ['Retrying', 'SlotFree']])
  assert.deepEqual(takeSlot(free, 1_000_000.5), [1, ['Retrying', 'SlotFree']])
  assert.deepEqual(takeSlot(free, 1_000_000), ['act'])
  const taken = (state: 'other' | 'stale') =>
    aSnapshot({ ...out, change: { slot: { state, mayAct: false, holderRun: 'run-2', holderNode: 'n3' } } })
  assert.deepEqual(takeSlot(taken('other'), 1_000_700), [700, ['SlotTaken']])
  assert.deepEqual(takeSlot(taken('stale'), 1_000_700), [700, ['SlotAbandoned']])
})

test('of several that failed the one that may be tried first ends the wait, and each says what it was refused with', () => {
  const [own] = aRecord().servers
  assert.ok(own)
  const record = aRecord({ servers: [own, { ...own, server: 'n1b', port: 30081 }] })
  const servers = [aServer('n1'), aServer('n1b', { address: '10.0.0.1', port: 30081 }), aServer('n2')]
  const retry = (notBefore: number, error: string) => ({ failures: 1, notBefore: monoMs(notBefore), error })
  const first = retry(1_000_300, 'no answer')
  const second = retry(1_000_200, 'no permission')
  const decided = (retries: NodeSnapshot['evidence']['retries']) =>
    decide(aSnapshot({ ...cordoned, record, servers, evidence: { retries } }))
  const inService = (server: string) => ({
    code: 'InBalancer',
    object: `web/${server}`,
    text: `web/${server} on lb-1 is ready`,
  })
  assert.deepEqual(decided({ 'setServer lb-1 web/n1 drain': first, 'setServer lb-1 web/n1b drain': second }), {
    kind: 'hold',
    step: 'detach',
    reasons: [
      { code: 'Retrying', text: 'no answer' },
      { code: 'Retrying', text: 'no permission' },
      inService('n1'),
      inService('n1b'),
    ],
    recheckAfterMs: 200,
  })
  const due = decided({ 'setServer lb-1 web/n1 drain': first })
  const refsOf = (actions: readonly Action[]) =>
    actions.map((action) => (action.kind === 'setServer' ? action.ref.server : action.kind))
  assert.deepEqual(due.kind === 'act' && refsOf(due.actions), ['n1b'])
})

test('a node that is kept out is told to be out, and tells why it is once it is', () => {
  const s = (world: object) => withRun(aSnapshot({ ...announced, ...world }), { verdict: verdict(true) })
  assert.deepEqual(decide(s({})), { kind: 'settled', reasons })
  const decision = decide(s({ servers: [aServer('n1'), aServer('n2')] }))
  assert.deepEqual(decision.kind === 'act' && [decision.step, decision.reasons], ['detach', reasons])
})
