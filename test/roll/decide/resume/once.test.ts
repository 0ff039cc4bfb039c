import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onceAnswer } from '../../../../src/roll/decide/resume/once.ts'
import type { NodeResult, RollOutcome, StampedEvent } from '../../../../src/roll/model/roll-event.ts'
import type { Verdict } from '../../../../src/roll/model/verdict.ts'
import { verdictBefore } from '../../../../src/roll/run/run-from-journal.ts'

const at = '2026-01-01T00:00:00Z'
const started: StampedEvent = {
  v: '1.0',
  type: 'roll.started',
  at,
  seq: 0,
  run: 'r',
  cluster: 'c',
  nodes: ['n1'],
  resumed: false,
}
const standing = (state: NodeResult['state']): NodeResult => ({
  node: 'n1',
  state,
  cordoned: false,
  detached: false,
  podsMoved: 0,
  failedRequests: 0,
  text: '',
})
const ended = (outcome: RollOutcome, state: NodeResult['state']): StampedEvent => ({
  v: '1.0',
  type: 'roll.ended',
  at,
  seq: 1,
  outcome,
  exitCode: 1,
  reasons: [],
  standings: [standing(state)],
  next: [],
})

for (const [title, events, kind] of [
  ['was killed', [started], 'goOn'],
  ['was interrupted', [started, ended('interrupted', 'out')], 'goOn'],
  ['stopped, and left a node out', [started, ended('stopped', 'out')], 'goOn'],
  ['stopped, and put every node back', [started, ended('stopped', 'restored')], 'over'],
  ['is done', [started, ended('completed', 'inService')], 'over'],
] as const) {
  test(`a run of a key that ${title} is ${kind === 'over' ? 'over' : 'resumed'}`, () => {
    assert.equal(onceAnswer(events).kind, kind)
  })
}

const stopped: Verdict = { kind: 'stopped', keepOut: true, reasons: [{ code: 'NodeDidNotReturn', text: 'gone' }] }

test('a process that no person started keeps the verdict of the process before it, unless the run was resumed since', () => {
  const verdict = { at, type: 'verdict', verdict: stopped, keepsOut: ['n1'] }
  assert.deepEqual(verdictBefore([{ ...started }, verdict]), { verdict: stopped, keepsOut: ['n1'] })
  assert.equal(verdictBefore([{ ...started }, verdict, { ...started }]), undefined)
  const kept = { ...verdict, isKept: true }
  for (const killed of [
    [verdict, kept],
    [verdict, kept, { ...started }],
    [kept, { ...started }, kept, { ...started }],
  ])
    assert.deepEqual(verdictBefore([{ ...started }, ...killed]), { verdict: stopped, keepsOut: ['n1'] })
  assert.equal(verdictBefore([{ ...started }, kept, { ...started }, { ...started }]), undefined)
})
