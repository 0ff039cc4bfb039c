import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeCost } from '../../bench/roll/node-cost.ts'
import type { RollDocument } from '../../bench/roll/roll-document.ts'
import { rollFigures } from '../../bench/roll/roll-figures.ts'
import { rollTroubles } from '../../bench/roll/roll-troubles.ts'

const cost = (node: string, tookMs: number, overheadMs: number): NodeCost => ({
  node,
  tookMs,
  parts: { idle: 0, terminating: 0, replacing: 0, boot: 0, readiness: 0, heartbeat: 0, rise: 0, soak: 0 },
  overheadMs: overheadMs + 8_000,
  overheadBesideHeartbeatMs: overheadMs,
  goalMs: 2_000,
  longestGaps: [],
})

const whoami = {
  sentRequests: 9000,
  failedRequests: 0,
  skippedRequests: 0,
  notMeasuredMs: 0,
  measuredMs: 90_000,
  failedAt1Hz: 0,
  lanes: [],
  windows: [],
}
const judged = { outcome: undefined, seconds: 90, streams: { whoami }, strays: 0, void: false, loadAverage: 1 }

const ours: RollDocument = {
  bench: 'roll.overhead',
  way: 'evenkeel',
  nodes: [cost('n1', 30_000, 900), cost('n2', 33_000, 1_200)],
  judged,
  requests: { total: 121, byVerb: { get: 100, list: 21 }, byResource: {} },
  loadAverage: 1,
}
const failing = { ...whoami, failedRequests: 3 }
const script: RollDocument = {
  ...ours,
  way: 'script',
  nodes: [cost('n1', 15_000, 2_500), cost('n2', 27_000, 3_500)],
  judged: { ...judged, streams: { whoami: failing } },
}

const shown = (documents: readonly RollDocument[]): readonly string[] =>
  rollFigures(documents).map(({ name, value, beside }) => `${name}: ${value}${beside ? ` / ${beside.value}` : ''}`)

test('ours is shown beside the bare script, by the mean of the nodes and by the worst of them', () => {
  assert.deepEqual(shown([ours, script]), [
    'a node, whole, mean: 31.5 / 21',
    'a node beyond the bare script, mean: 10.5',
    'overhead of a node, worst: 1.2 / 3.5',
    'overhead of a node, worst, with the wait for a heartbeat: 9.2 / 11.5',
    'failed of 9000 requests: 0 / 3',
    'API requests a node: 60.5',
    'API requests a node, get: 50',
    'API requests a node, list: 10.5',
  ])
})

test('without the script ours stands alone, and without ours there is nothing to show', () => {
  assert.deepEqual(shown([ours]).slice(0, 2), ['a node, whole, mean: 31.5', 'overhead of a node, worst: 1.2'])
  assert.deepEqual(shown([script]), [])
})

test('a run that is void or ended badly is reported', () => {
  const end = { code: 3, stderr: '', warnings: [], strays: 0, rebooted: 1, leftovers: [], events: [] }
  assert.deepEqual(rollTroubles([ours, { ...ours, judged: { ...judged, outcome: end, void: true } }]), [
    'evenkeel: void, the judge skipped more than 0.1 %',
    'evenkeel: ended with 3',
  ])
})
