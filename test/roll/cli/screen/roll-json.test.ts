import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventJson } from '../../../../src/roll/cli/screen/event-json.ts'
import { outcomeDocument } from '../../../../src/roll/report/view/outcome-document.ts'
import { plain } from '../../../support/plain.ts'
import { budget, failure, load, reload, Story, standing } from './roll-story.ts'

const story = (): Story =>
  new Story()
    .begin(['w-1', 'w-2'])
    .add('06:14:50', { type: 'node.started', node: 'w-1', index: 0 })
    .steps('w-1', [
      ['06:14:50', 'slot'],
      ['06:14:51', 'drain'],
    ])
    .add('06:14:52', { type: 'hold.started', node: 'w-1', step: 'drain', reasons: [budget], limitMs: 600_000 })
    .add('06:14:53', {
      type: 'window.closed',
      window: failure,
      reloads: [reload],
      blame: [{ node: 'w-1', step: 'drain', rank: 1 }],
    })
    .add('06:14:54', {
      type: 'roll.ended',
      outcome: 'stopped',
      exitCode: 1,
      reasons: [],
      standings: [standing('w-1')],
      next: [],
      load: { ...load(5_000, 6), notMeasuredMs: 250 },
    })

const WINDOW = {
  target: 'shop',
  lane: 'new',
  failed: 6,
  excusedRequests: 0,
  sent: 16,
  failures: { connect: 6 },
  firstError: 'connect ECONNREFUSED 10.0.0.9:443',
  lastOkAt: '2026-11-21T06:30:58.190Z',
  firstBadAt: '2026-11-21T06:30:58.200Z',
  lastBadAt: '2026-11-21T06:30:58.500Z',
  firstOkAt: '2026-11-21T06:30:58.530Z',
  lowMs: 300,
  highMs: 340,
  reloads: [
    {
      balancer: 'edge',
      instance: 'lb-1',
      servers: ['web/w-2'],
      nodes: ['w-2'],
      from: '2026-11-21T06:30:58.140Z',
      seenAt: '2026-11-21T06:30:58.340Z',
      to: '2026-11-21T06:30:58.520Z',
    },
  ],
  blame: [{ node: 'w-1', step: 'drain', rank: 1 }],
}

test('the document of -o json', () => {
  assert.deepEqual(outcomeDocument(story().view), {
    run: '20261121T061439Z-1f0e',
    cluster: 'prod-eu1',
    outcome: 'stopped',
    failedRequests: 6,
    excusedRequests: 0,
    failedInReloads: 6,
    retriedRequests: 0,
    sentRequests: 5_000,
    notMeasuredMs: 250,
    podsMoved: 0,
    moves: [],
    windows: [WINDOW],
    nodes: [
      {
        name: 'w-1',
        steps: [
          {
            step: 'slot',
            startedAt: '2026-11-21T06:14:50.000Z',
            endedAt: '2026-11-21T06:14:51.000Z',
            reasons: [
              { code: 'NotRecorded', text: 'slot is due' },
              { code: 'NodeDone', text: 'slot is done' },
            ],
          },
          {
            step: 'drain',
            startedAt: '2026-11-21T06:14:51.000Z',
            endedAt: null,
            reasons: [{ code: 'NotRecorded', text: 'drain is due' }, budget],
          },
        ],
      },
      { name: 'w-2', steps: [] },
    ],
  })
})

test('the events of -o jsonl: one object a line, numbered without gaps, units in the names', () => {
  const lines = story().events.map(eventJson)
  for (const line of lines) assert.match(line, /^\{.*\}\n$/)
  const objects = lines.map((line) => JSON.parse(line))
  assert.deepEqual(
    objects.map(({ seq }) => seq),
    [...lines.keys()],
  )
  assert.deepEqual(
    objects.find(({ type }) => type === 'hold.started'),
    {
      v: '1.0',
      seq: 7,
      at: '2026-11-21T06:14:52.000Z',
      type: 'hold.started',
      node: 'w-1',
      step: 'drain',
      reasons: [plain(budget)],
      limitMs: 600_000,
      code: 'BudgetExhausted',
      object: 'shop/cart-0',
      never: false,
      text: 'shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3',
    },
  )
  assert.deepEqual(
    objects.find(({ type }) => type === 'window.closed'),
    {
      v: '1.0',
      seq: 8,
      at: '2026-11-21T06:14:53.000Z',
      type: 'window.closed',
      ...WINDOW,
    },
  )
  const last = objects.at(-1)
  assert.deepEqual(
    {
      type: last.type,
      outcome: last.outcome,
      failedRequests: last.failedRequests,
      sentRequests: last.sentRequests,
      exitCode: last.exitCode,
    },
    { type: 'roll.ended', outcome: 'stopped', failedRequests: 6, sentRequests: 5_000, exitCode: 1 },
  )
})

test('a run that was killed and resumed is one document', () => {
  const killed = new Story()
    .begin(['w-1'])
    .add('06:14:50', { type: 'node.started', node: 'w-1', index: 0 })
    .steps('w-1', [['06:14:51', 'drain']])
    .add('06:14:53', { type: 'window.closed', window: failure, blame: [] })
    .add('06:14:55', { type: 'load.tick', load: load(1_600, 6) })
  const document = outcomeDocument(killed.view)
  assert.deepEqual([document.outcome, document.sentRequests, document.failedRequests], ['running', 1_600, 6])
  const taken = killed
    .add('06:20:00', { type: 'roll.started', run: 'r', cluster: 'prod-eu1', nodes: ['w-1'], resumed: true })
    .add('06:21:00', {
      type: 'roll.ended',
      outcome: 'stopped',
      exitCode: 1,
      reasons: [],
      standings: [standing('w-1')],
      next: [],
      load: { ...load(7_600, 6), notMeasuredMs: 305_000 },
    })
  const whole = outcomeDocument(taken.view)
  assert.deepEqual([whole.sentRequests, whole.failedRequests, whole.notMeasuredMs], [7_600, 6, 305_000])
  assert.equal(whole.windows.length, 1)
})

test('edges that were not seen are null, never a guess', () => {
  const { lastOkAt: _a, firstOkAt: _b, ...open } = failure
  const view = new Story().begin(['w-1']).add('06:14:53', { type: 'window.opened', window: open, blame: [] }).view
  const [window] = outcomeDocument(view).windows
  assert.deepEqual([window?.lastOkAt, window?.firstOkAt, window?.lowMs, window?.highMs], [null, null, 300, null])
})

test('a journal of a version that saw no reloads is read as one without', () => {
  const event = JSON.parse(
    JSON.stringify({ type: 'window.closed', window: failure, blame: [{ node: 'w-1', step: 'drain', rank: 1 }] }),
  )
  const document = outcomeDocument(new Story().begin(['w-1']).add('06:14:53', event).view)
  assert.deepEqual([document.failedInReloads, document.windows[0]?.reloads], [0, []])
})

test('a reload whose end was not seen has none', () => {
  const { to: _, ...open } = reload
  const event = { type: 'window.opened', window: failure, reloads: [open], blame: [] } as const
  const [window] = outcomeDocument(new Story().begin(['w-1']).add('06:14:53', event).view).windows
  assert.deepEqual([window?.reloads[0]?.seenAt, window?.reloads[0]?.to], ['2026-11-21T06:30:58.340Z', null])
})
