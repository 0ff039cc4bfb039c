import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { evenkeel } from '../../../src/ground/model/sentence.ts'
import type { NodeResult } from '../../../src/roll/model/roll-event.ts'
import { endOf } from '../../../src/roll/run/roll-end.ts'
import type { RunState } from '../../../src/roll/run/run-state.ts'
import { aSpec } from '../../support/roll-world.ts'

const aRun = (change: Partial<RunState> = {}): RunState => ({
  id: 'run-1',
  spec: aSpec(),
  order: ['n1'],
  resumed: false,
  done: ['n1'],
  settledHere: ['n1'],
  verdict: undefined,
  measuredSince: undefined,
  effectsBefore: {},
  ...change,
})

const failure = (target: string): Reason => ({
  code: 'RequestsFailed',
  object: target,
  text: `2 of 2 requests to ${target} failed (new): status 503; lb-1 was reloaded at 11:14:53Z`,
  next: 'do not reload lb-1 while a roll is under way',
})

test('the end tells of failed requests what is known by then, and what helps once', () => {
  const said: Reason = { code: 'RequestsFailed', object: 'a', text: '1 of 1 requests to a failed (new): status 503' }
  const verdict = { kind: 'stopped', keepOut: false, reasons: [said] } as const
  const failures = [failure('a'), failure('b')]
  const end = endOf({ run: aRun({ verdict }), standings: [], interrupted: false, failed: 4, failures })
  assert.deepEqual([end.outcome, end.exitCode, end.reasons], ['stopped', 1, failures])
  assert.deepEqual(end.next, ['do not reload lb-1 while a roll is under way'])
})

test('requests that failed after the last soak end the roll as stopped, with their cause', () => {
  const end = endOf({ run: aRun(), standings: [], interrupted: false, failed: 2, failures: [failure('a')] })
  assert.deepEqual([end.outcome, end.exitCode], ['stopped', 1])
  assert.deepEqual(end.reasons, [
    { code: 'RequestsFailed', text: '2 requests failed after the last node was through' },
    failure('a'),
  ])
  assert.deepEqual(end.next, ['do not reload lb-1 while a roll is under way'])
})

test('a roll that was held and lost requests after its last pass ends as stopped, with both reasons', () => {
  const held: Reason = { code: 'BudgetExhausted', text: 'x' }
  const verdict = { kind: 'held', keepOut: false, reasons: [held] } as const
  const ended = (failed: number) =>
    endOf({
      run: aRun({ verdict }),
      standings: [],
      interrupted: false,
      failed,
      failures: failed === 0 ? [] : [failure('a')],
    })
  assert.deepEqual([ended(0).outcome, ended(0).exitCode, ended(0).reasons], ['held', 3, [held]])
  assert.deepEqual([ended(2).outcome, ended(2).exitCode, ended(2).reasons], ['stopped', 1, [held, failure('a')]])
})

test('no roll is done in which a node’s line has failed requests', () => {
  const back: NodeResult = {
    node: 'n1',
    state: 'inService',
    cordoned: false,
    detached: false,
    podsMoved: 0,
    failedRequests: 18,
    text: 'back in service',
  }
  const end = endOf({ run: aRun(), standings: [back], interrupted: false, failed: 0, failures: [] })
  assert.deepEqual([end.outcome, end.exitCode], ['stopped', 1])
})

test('a roll without a failed request ends as done', () => {
  const end = endOf({ run: aRun(), standings: [], interrupted: false, failed: 0, failures: [] })
  assert.deepEqual([end.outcome, end.exitCode, end.reasons, end.next], ['completed', 0, [], []])
})

test('a person who interrupts the restore sees an interruption, with what led to it, as long as a node is out', () => {
  const facts = { node: 'n1', cordoned: true, detached: true, podsMoved: 0, failedRequests: 0 }
  const out: NodeResult = { ...facts, state: 'out', text: 'not rebooted, cordoned, detached' }
  const restored: NodeResult = { ...facts, cordoned: false, detached: false, state: 'restored', text: 'as it was' }
  const budget: Reason = { code: 'BudgetExhausted', text: 'budget shop/cart needs 2 healthy, has 2 of 3' }
  const ended = (kind: 'held' | 'aborted' | 'stopped', standing: NodeResult, interrupted = true) => {
    const run = aRun({ done: [], verdict: { kind, keepOut: false, reasons: [budget] } })
    const { outcome, exitCode, reasons } = endOf({
      run,
      standings: [standing],
      interrupted,
      failed: 0,
      failures: [],
    })
    assert.deepEqual(reasons, [budget])
    return [outcome, exitCode]
  }
  assert.deepEqual(ended('held', out), ['interrupted', 130])
  assert.deepEqual(ended('aborted', out), ['interrupted', 130])
  assert.deepEqual(ended('aborted', out, false), ['aborted', 1])
  assert.deepEqual(ended('aborted', restored, false), ['aborted', 0], 'what was asked for is done')
  assert.deepEqual(ended('stopped', out), ['stopped', 1])
  assert.deepEqual(ended('held', restored), ['held', 3])
  assert.deepEqual(ended('held', restored, false), ['held', 3])
})

test('an abort in which requests failed is no success, though everything is back', () => {
  const standing = { node: 'n1', cordoned: false, detached: false, podsMoved: 0, failedRequests: 2 }
  const exitCode = (...reasons: readonly Reason[]): number =>
    endOf({
      run: aRun({ done: [], verdict: { kind: 'aborted', keepOut: false, reasons } }),
      standings: [{ ...standing, state: 'restored', text: 'as it was' }],
      ...{ interrupted: false, failed: 0, failures: [] },
    }).exitCode
  const aborted: Reason = { code: 'Aborted', text: 'the roll was aborted' }
  const failed: Reason = { code: 'RequestsFailed', text: '2 requests to shop failed' }
  assert.deepEqual([exitCode(aborted), exitCode(aborted, failed)], [0, 1])
})

test('a roll that has not rolled every node of its order is not done', () => {
  const end = endOf({ run: aRun({ order: ['n1', 'n2'] }), standings: [], interrupted: false, failed: 0, failures: [] })
  assert.deepEqual([end.outcome, end.exitCode, end.next], ['stopped', 1, [evenkeel`roll resume run-1`]])
})

test('a node that is out is guarded where it must not serve, and only there', () => {
  const facts = { node: 'n1', cordoned: true, detached: true, podsMoved: 0, failedRequests: 0 }
  const out: NodeResult = { ...facts, state: 'out', text: 'not rebooted, cordoned, detached' }
  const guarded = (keepOut: boolean) => {
    const run = aRun({ done: [], verdict: { kind: 'stopped', keepOut, reasons: [failure('a')] } })
    return endOf({ run, standings: [out], interrupted: false, failed: 1, failures: [] }).guarded
  }
  assert.deepEqual([guarded(true), guarded(false)], [['n1'], []])
})
