import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../src/ground/model/probe.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { RollEvent } from '../../../src/roll/model/roll-event.ts'
import { loadBefore, unmeasuredSince } from '../../../src/roll/run/load-before.ts'
import { aLoad, aTick, at, journaled } from '../../support/journaled.ts'

const GREEN: RollEvent = { type: 'baseline.ended', sent: 1000, p99Ms: 11 }
const STARTED: RollEvent = { type: 'roll.started', run: 'run-1', cluster: 'prod', nodes: ['n1'], resumed: false }

const aWindow = (failed: number, change: Partial<FailureWindow> = {}): FailureWindow => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: failed,
  failed,
  failures: { connect: failed },
  firstError: 'ECONNREFUSED',
  firstBadAt: wallMs(at('06:00:31')),
  lastBadAt: wallMs(at('06:00:32')),
  ...change,
})

const failing = (type: 'window.opened' | 'window.closed', window: FailureWindow, excused = false): RollEvent => ({
  type,
  window,
  blame: [{ node: 'n1', step: 'attach', rank: 1 }],
  ...(excused ? { excused } : {}),
})

const ended = (outcome: 'stopped' | 'held' | 'interrupted', exitCode: number, sent: number): RollEvent => ({
  type: 'roll.ended',
  outcome,
  exitCode,
  reasons: [],
  standings: [],
  next: [],
  load: aLoad(sent),
})

test('a killed process leaves its totals, up to its last tick', () => {
  const before = loadBefore(
    journaled(
      ['06:00:00', STARTED],
      ['06:00:10', GREEN],
      ['06:00:15', aTick(500, { skipped: 2, notMeasuredMs: 300 })],
      ['06:00:20', aTick(1000, { skipped: 3, notMeasuredMs: 300 })],
      ['06:00:23', { type: 'step.started', node: 'n1', step: 'slot', reasons: [] }],
    ),
  )
  assert.deepEqual(before, {
    sent: 1000,
    failed: 0,
    skipped: 3,
    strays: 0,
    notMeasuredMs: 300,
    until: at('06:00:20'),
    failedOf: {},
    unreported: 0,
  })
})

test('retried requests of every process stay in the totals of the run', () => {
  const before = loadBefore(journaled(['06:00:10', GREEN], ['06:00:15', aTick(500, { retried: 3 })]))
  assert.equal(before?.retried, 3)
  assert.equal(unmeasuredSince(before, wallMs(at('06:00:20')))?.retried, 3)
})

test('what was sent before the first baseline was over counts for nothing, and of a run that touched nothing nothing is missing', () => {
  const held = journaled(['06:00:00', STARTED], ['06:00:05', aTick(500)], ['06:02:00', ended('held', 3, 12_000)])
  assert.equal(loadBefore(held), undefined)
  const begun = journaled(['06:00:00', STARTED], ['06:00:05', aTick(500)], ['06:00:10', GREEN])
  assert.deepEqual([loadBefore(begun)?.sent, loadBefore(begun)?.until], [0, at('06:00:10')])
})

test('requests that failed after the last tick are not lost with it', () => {
  const before = loadBefore(
    journaled(
      ['06:00:10', GREEN],
      ['06:00:30', aTick(2000, { failed: 4 })],
      ['06:00:30', failing('window.closed', aWindow(4, { firstBadAt: wallMs(at('06:00:20')) }))],
      ['06:00:31', failing('window.opened', aWindow(1))],
      ['06:00:33', failing('window.closed', aWindow(7))],
    ),
  )
  assert.deepEqual(
    [before?.failed, before?.sent, before?.unreported, before?.failedOf, before?.until],
    [11, 2007, 11, { n1: 11 }, at('06:00:30')],
  )
})

test('what an end has told, or a control target excuses, need not be told again; it stays in the totals', () => {
  const before = loadBefore(
    journaled(
      ['06:00:10', GREEN],
      ['06:00:31', failing('window.closed', aWindow(7))],
      ['06:00:40', ended('stopped', 1, 3000)],
      ['06:10:00', { ...STARTED, resumed: true }],
      ['06:10:12', failing('window.closed', aWindow(5, { firstBadAt: wallMs(at('06:10:11')) }), true)],
      ['06:10:15', aTick(4500, { failed: 7, excused: 5, notMeasuredMs: 560_000 })],
    ),
  )
  assert.deepEqual([before?.failed, before?.excused, before?.sent, before?.unreported], [7, 5, 4500, 0])
})

test('of a window that a control excuses in part, the rest counts; what came after the last tick is not lost', () => {
  const partly = aWindow(9, { excused: 4 })
  const before = loadBefore(journaled(['06:00:10', GREEN], ['06:00:31', failing('window.closed', partly)]))
  assert.deepEqual(
    [before?.failed, before?.excused, before?.sent, before?.unreported, before?.failedOf],
    [5, 4, 9, 5, { n1: 5 }],
  )
})

test('strays of every process count', () => {
  const stray: RollEvent = { type: 'stray', node: 'n1', server: 'web/n1 on lb-1', count: 2 }
  const before = loadBefore(
    journaled(
      ['06:00:10', GREEN],
      ['06:00:11', stray],
      ['06:10:00', { ...STARTED, resumed: true }],
      ['06:10:01', stray],
    ),
  )
  assert.equal(before?.strays, 4)
})

test('for a run that no process measured, the time since its first write is not measured', () => {
  const written: RollEvent = { type: 'write', node: 'n1', action: 'cordon', text: 'cordon n1', ok: true }
  const before = loadBefore(journaled(['06:00:00', STARTED], ['06:00:01', written], ['06:00:09', written]))
  assert.deepEqual([before?.sent, before?.notMeasuredMs, before?.until], [0, 0, at('06:00:01')])
})

test('a process that measures nothing lets the totals stand and adds its time to what was not measured', () => {
  const before = loadBefore(journaled(['06:00:10', GREEN], ['06:00:20', aTick(1000, { notMeasuredMs: 500 })]))
  assert.ok(before)
  const load = unmeasuredSince(before, wallMs(at('06:01:20')))
  assert.deepEqual([load?.sent, load?.failed, load?.notMeasuredMs], [1000, 0, 60_500])
  assert.equal(unmeasuredSince(undefined, wallMs(at('06:01:20'))), undefined)
})
