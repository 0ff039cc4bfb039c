import assert from 'node:assert/strict'
import { test } from 'node:test'
import { articleTable } from '../../bench/article/article-table.ts'
import type { PlanRun } from '../../bench/article/plan-runs.ts'

const run: PlanRun = {
  plan: 'naive',
  run: 1,
  outcome: undefined,
  seconds: 61,
  strays: 0,
  void: false,
  loadAverage: 1,
  streams: {
    whoami: {
      sentRequests: 6000,
      failedRequests: 3,
      skippedRequests: 0,
      notMeasuredMs: 0,
      measuredMs: 60_000,
      failedAt1Hz: 0.03,
      lanes: [
        { lane: 'new', sent: 3000, failed: 2, maxMs: 9 },
        { lane: 'kept', sent: 3000, failed: 1, maxMs: 9 },
      ],
      windows: [{ lane: 'new', failed: 2, failures: { connect: 2 }, lowMs: 20, highMs: 60 }],
    },
  },
}

const lastLine = (table: string): string | undefined => table.split('\n').at(-1)

test('a plan that lost requests shows how many of which lane, and how long for', () => {
  assert.equal(
    lastLine(articleTable([run])),
    '| naive | whoami | 6000 | 3 (2 / 1) | 0.05 % | 1: new 0.02 to 0.06 s | 0.03 | - | 61.0 |  |',
  )
})

test('no failed request is a bound, not a proof, and a void run says so', () => {
  const whoami = { ...run.streams.whoami, failedRequests: 0, windows: [], failedAt1Hz: 0 } as const
  const outcome = { code: 0, stderr: '', warnings: [], strays: 0, rebooted: 3, leftovers: [], events: [] }
  const lanes = [{ lane: 'new', sent: 6000, failed: 0, maxMs: 9 }] as const
  const clean = { ...run, plan: 'evenkeel', outcome, void: true, streams: { whoami: { ...whoami, lanes } } } as PlanRun
  assert.equal(
    lastLine(articleTable([clean])),
    '| evenkeel 1 | whoami | 6000 | 0 (0 / 0) | < 0.050 % | none | 0 | 0 | 61.0 | void: the judge skipped more than 0.1 % |',
  )
})
