import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProbeStatus } from '../../../src/ground/model/probe.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { RollEvent } from '../../../src/roll/model/roll-event.ts'
import { loadBefore } from '../../../src/roll/run/load-before.ts'
import { endOf } from '../../../src/roll/run/roll-end.ts'
import { runFromJournal } from '../../../src/roll/run/run-from-journal.ts'
import { unjudged } from '../../../src/roll/run/unjudged.ts'
import { aJournal, aLoad, aTick, at, journaled } from '../../support/journaled.ts'

const failedAt = (time: string, failed: number): ProbeStatus['windows'][number] => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: failed,
  failed,
  failures: { connect: failed },
  firstError: 'ECONNREFUSED',
  firstBadAt: wallMs(at(time)),
  lastBadAt: wallMs(at(time)),
  firstOkAt: wallMs(at(time) + 10),
})

const probe = (windows: ProbeStatus['windows']): ProbeStatus => ({
  startedAt: wallMs(at('06:10:00')),
  lanes: [],
  windows,
  notMeasured: [],
  greenStreak: 0,
})

/** A run whose first process was killed, here and there with a window open. */
function killed(windows: ProbeStatus['windows'] = []) {
  const opened = windows.map((window) => ['06:00:31', { type: 'window.opened', window, blame: [] }] as const)
  const entries = journaled(
    ['06:00:10', { type: 'baseline.ended', sent: 1, p99Ms: 1 }],
    ['06:00:20', aTick(1000)],
    ...opened,
  )
  const { run } = runFromJournal(aJournal(entries))
  return { ...run, measuredSince: wallMs(at('06:10:20')) }
}

const outcomeOf = (run: ReturnType<typeof killed>, facts: ProbeStatus | undefined) => {
  const stopRules = { failed: 0, failures: [], unjudged: unjudged(run, facts) }
  const through = { ...run, done: run.order }
  const { outcome, exitCode, reasons } = endOf({ run: through, standings: [], interrupted: false, ...stopRules })
  return { outcome, exitCode, texts: reasons.map(({ text }) => text) }
}

test('a run that was killed, resumed and lost nothing is done', () => {
  assert.deepEqual(outcomeOf(killed(), probe([])), { outcome: 'completed', exitCode: 0, texts: [] })
})

test('requests that failed just before a kill keep the run from ending as done', () => {
  assert.deepEqual(outcomeOf(killed([failedAt('06:00:30', 4)]), probe([])), {
    outcome: 'stopped',
    exitCode: 1,
    texts: ['4 requests failed before a process of this run was killed'],
  })
})

test('so do requests that failed before traffic was green again; those after it are the stop rules’', () => {
  assert.deepEqual(outcomeOf(killed(), probe([failedAt('06:10:02', 1), failedAt('06:20:00', 2)])), {
    outcome: 'stopped',
    exitCode: 1,
    texts: ['1 request failed before traffic was green again'],
  })
  assert.equal(outcomeOf(killed([failedAt('06:00:30', 4)]), undefined).exitCode, 1)
})

/** A run whose first process ended for what had failed under it. */
function stopped() {
  const window = failedAt('06:00:30', 4)
  const end: RollEvent = { type: 'roll.ended', outcome: 'stopped', exitCode: 1, reasons: [], standings: [], next: [] }
  const entries = journaled(
    ['06:00:10', { type: 'baseline.ended', sent: 1, p99Ms: 1 }],
    ['06:00:31', { type: 'window.closed', window, blame: [{ node: 'n1', step: 'detach', rank: 1 }] }],
    ['06:00:40', { ...end, load: aLoad(1000, { failed: 4 }) }],
  )
  return { ...runFromJournal(aJournal(entries)).run, measuredSince: wallMs(at('06:10:20')) }
}

test('a run that stopped for failed requests is not done once it was resumed to its end: nothing brings them back', () => {
  const texts = ['4 requests failed before this run was resumed']
  assert.deepEqual(outcomeOf(stopped(), probe([])), { outcome: 'stopped', exitCode: 1, texts })
  assert.deepEqual(outcomeOf(stopped(), undefined), { outcome: 'stopped', exitCode: 1, texts })
})

test('failed requests that a control excuses keep no run from being done', () => {
  const excused = { ...failedAt('06:20:00', 2), excused: 2 }
  assert.deepEqual(outcomeOf(killed([{ ...failedAt('06:00:30', 4), excused: 4 }]), probe([excused])), {
    outcome: 'completed',
    exitCode: 0,
    texts: [],
  })
})

test('before the baseline of a run that begins, nothing counts', () => {
  const run = { ...killed(), measuredSince: wallMs(at('06:10:20')) }
  const { before: _, ...begun } = run
  assert.equal(loadBefore([]), undefined)
  assert.deepEqual(outcomeOf(begun, probe([failedAt('06:10:02', 1)])).outcome, 'completed')
})
