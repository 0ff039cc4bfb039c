import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from '../../bench/article/article-arguments.ts'
import type { PlanRun } from '../../bench/article/plan-runs.ts'
import { sevenWays } from '../../bench/article/seven-ways.ts'

interface Seen {
  readonly sent: number
  readonly failed: number
  readonly seconds: number
  readonly isVoid?: boolean
}

const runOf = (plan: Plan, { sent, failed, seconds, isVoid = false }: Seen): PlanRun => ({
  plan,
  run: 1,
  outcome: undefined,
  seconds,
  strays: 0,
  void: isVoid,
  loadAverage: 1,
  streams: {
    whoami: {
      sentRequests: sent,
      failedRequests: failed,
      skippedRequests: 0,
      notMeasuredMs: 0,
      measuredMs: 60_000,
      failedAt1Hz: 0,
      lanes: [],
      windows: [],
    },
  },
})

/** The first four columns: what was measured. */
const measuredOf = (table: string): readonly string[] =>
  table
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .map((line) => line.split(' | ').slice(0, 4).join(' | '))

test('each way that was run has one row, in the order of the ways', () => {
  const runs = [
    runOf('evenkeel', { sent: 10_000, failed: 0, seconds: 104.2 }),
    runOf('evenkeel-no-stage', { sent: 9_000, failed: 0, seconds: 101 }),
    runOf('kured', { sent: 20_000, failed: 50, seconds: 201 }),
  ]
  assert.deepEqual(measuredOf(sevenWays(runs)), [
    '| plan | failed requests | share | time',
    '| kured: kured, and a service that shuts down cleanly | 50 of 20000 | 0.25 % | 201 s',
    '| evenkeel: evenkeel roll, and a service that shuts down cleanly | 0 of 10000 | < 0.030 % | 104 s',
  ])
})

test('valid runs are added up; a void run counts only where there is no other, and the row says so', () => {
  const runs = [
    runOf('naive', { sent: 7_000, failed: 70, seconds: 70, isVoid: true }),
    runOf('evenkeel', { sent: 10_000, failed: 0, seconds: 104.2 }),
    runOf('evenkeel', { sent: 500, failed: 5, seconds: 300, isVoid: true }),
    runOf('evenkeel', { sent: 20_000, failed: 0, seconds: 110.4 }),
  ]
  assert.deepEqual(measuredOf(sevenWays(runs)).slice(1), [
    '| naive: drain, reboot, uncordon | 70 of 7000, void | 1.00 % | 70 s',
    '| evenkeel: evenkeel roll, and a service that shuts down cleanly | 0 of 30000, 2 runs | < 0.010 % | 104 to 110 s',
  ])
})

test('a table without kured says how to add it, and one with it does not', () => {
  const how = /npm run article -- --kured DIR, with a checkout of github\.com\/kubereboot\/kured$/
  const seen = { sent: 10, failed: 0, seconds: 1 }
  assert.match(sevenWays([runOf('naive', seen)]), how)
  assert.doesNotMatch(sevenWays([runOf('naive', seen), runOf('kured', seen)]), how)
})
