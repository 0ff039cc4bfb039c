import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evenkeel, kubectl } from '../../../../src/ground/model/sentence.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { blockLines } from '../../../../src/ground/text/labelled-block.ts'
import { plainLine } from '../../../../src/ground/text/terminal/style.ts'
import { holdBlock } from '../../../../src/roll/cli/screen/hold-block.ts'
import { summaryLines } from '../../../../src/roll/cli/screen/summary-lines.ts'
import type { RollEvent } from '../../../../src/roll/model/roll-event.ts'
import {
  at,
  budget,
  failure,
  heldStory,
  load,
  NODES,
  RUN,
  reload,
  Story,
  standing,
  untouched,
  withFirstNode,
} from './roll-story.ts'

const RESUME = evenkeel`roll resume ${RUN}`
const ABORT = evenkeel`roll abort ${RUN}`

type Ended = Extract<RollEvent, { type: 'roll.ended' }>
const summary = (story: Story, end: Omit<Ended, 'type'>): string =>
  summaryLines(story.add('06:31:11', { type: 'roll.ended', ...end }).view)
    .map(plainLine)
    .join('\n')

test('a hold in full says why, since when, how the node stands and what helps', () => {
  const { view } = heldStory()
  const node = view.nodes[1]
  const block = node && holdBlock(view, node, at('06:19:59'))
  assert.equal(
    block && blockLines(block, 80).map(plainLine).join('\n'),
    `HOLD  w-2, drain: waits for shop/cart-0
  why    shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3
  since  06:19:13Z, 46 s; rechecked on every change, gives up at 06:34:13Z
  state  w-2 is cordoned and detached; 8 of 11 pods; 0 failed of 32,000
  next   kubectl -n shop describe pod cart-2`,
  )
})

test('stopped: what failed, which step, how every node stands, what to type', () => {
  const story = heldStory().add('06:31:10', {
    type: 'window.closed',
    window: failure,
    blame: [
      { node: 'cp-1', step: 'attach', rank: 1 },
      { node: 'cp-1', step: 'settle', rank: 2 },
    ],
  })
  const out = standing('cp-1', { state: 'out', step: 'attach', text: 'rebooted, uncordoned, detached' })
  assert.equal(
    summary(story, {
      outcome: 'stopped',
      exitCode: 1,
      reasons: [
        { code: 'RequestsFailed', text: '6 of 16 requests to shop failed (new): connect ECONNREFUSED 10.0.0.9:443' },
        { code: 'NotUp', text: 'cp-1 passed no checks of its balancers within the limit' },
      ],
      standings: [...['w-1', 'w-2', 'w-3'].map((node) => standing(node)), out, ...NODES.slice(4).map(untouched)],
      next: [RESUME, ABORT],
      load: load(98_100, 6),
      guarded: ['cp-1'],
    }),
    `STOPPED  after 3 of 8 nodes: 6 of 16 requests to shop failed (new): connect
         ECONNREFUSED 10.0.0.9:443
  what   shop: 6 of 16 failed in 300 to 340 ms from 06:30:58.20Z
         lane new, connect failed (6): connect ECONNREFUSED 10.0.0.9:443
         most likely cp-1, attach; also possible: cp-1, settle
  why    cp-1 passed no checks of its balancers within the limit
  state  cp-1: rebooted, uncordoned, detached
         w-1, w-2, w-3: back in service
         cp-2, cp-3, w-4, w-5: not touched
         until Ctrl-C cp-1 is kept out of its balancers: the state that a reload
         loses is set again
         6 failed of 98,100
  next   evenkeel roll resume 20261121T061439Z-1f0e    go on with cp-1 at attach
         evenkeel roll abort 20261121T061439Z-1f0e`,
  )
})

test('stopped by a reload: the reload before any step, how many requests it cost, what to do against it', () => {
  const blame = [{ node: 'w-2', step: 'reboot', rank: 1 }] as const
  const other = { ...failure, lane: 'kept', sent: 2, failed: 2, failures: { stale: 2 }, firstError: 'closed' } as const
  const story = heldStory()
    .add('06:31:00', { type: 'window.closed', window: failure, reloads: [reload], blame })
    .add('06:31:01', { type: 'window.closed', window: other, reloads: [reload], blame })
  const why = 'lb-1 was reloaded at 06:30:58Z and had w-2 in service again for at most 380 ms'
  assert.equal(
    summary(story, {
      outcome: 'stopped',
      exitCode: 1,
      reasons: [
        { code: 'RequestsFailed', text: `6 of 16 requests to shop failed (new): connect ECONNREFUSED; ${why}` },
      ],
      standings: [standing('w-1'), standing('w-2'), ...NODES.slice(2).map(untouched)],
      next: ['do not reload lb-1 while a roll is under way', RESUME],
      load: load(98_100, 8),
    }),
    `STOPPED  after 2 of 8 nodes: 6 of 16 requests to shop failed (new): connect
         ECONNREFUSED; lb-1 was reloaded at 06:30:58Z and had w-2 in service
         again for at most 380 ms
  what   shop: 8 of 18 failed in 300 to 340 ms from 06:30:58.20Z
         lanes new and kept, connect failed (6), kept connection closed (2):
         connect ECONNREFUSED 10.0.0.9:443
         most likely reload of lb-1; also possible: w-2, reboot
         8 requests were lost to reloads of lb-1
  state  w-1, w-2: back in service
         w-3, cp-1, cp-2, cp-3, w-4, w-5: not touched
         8 failed of 98,100
  next   do not reload lb-1 while a roll is under way
         evenkeel roll resume 20261121T061439Z-1f0e    go on`,
  )
})

test('stopped after hundreds of failed requests, one at a time: the first outages, and how many more', () => {
  const one = (i: number) => ({
    ...failure,
    lane: i % 2 === 0 ? ('new' as const) : ('kept' as const),
    sent: 1,
    failed: 1,
    failures: { status: 1 },
    firstError: 'HTTP 503',
    lastOkAt: wallMs(at('06:31:00') + 100 * i - 20),
    firstBadAt: wallMs(at('06:31:00') + 100 * i),
    lastBadAt: wallMs(at('06:31:00') + 100 * i),
    firstOkAt: wallMs(at('06:31:00') + 100 * i + 20),
  })
  const story = heldStory()
  for (let i = 0; i < 300; i += 1) story.add('06:31:10', { type: 'window.closed', window: one(i), blame: [] })
  const end = { outcome: 'stopped', exitCode: 1, reasons: [], standings: [], next: [] } as const
  const text = summary(story, end)
  assert.match(
    text,
    /what {3}shop: 1 of 1 failed in 0 to 40 ms from 06:31:00\.00Z\n {9}lane new, wrong status \(1\): HTTP 503/,
  )
  assert.match(text, /06:31:00\.40Z\n.*\n {9}no step was under way\n {9}and 295 more windows\n/)
})

test('interrupted: at which step, and both ways on', () => {
  const out = standing('w-2', { state: 'out', step: 'drain', text: 'not rebooted, cordoned, detached' })
  assert.equal(
    summary(heldStory(), {
      outcome: 'interrupted',
      exitCode: 130,
      reasons: [],
      standings: [standing('w-1'), out, ...NODES.slice(2).map(untouched)],
      next: [RESUME, ABORT],
      load: load(32_000),
    }),
    `INTERRUPTED  w-2 at step 5 of 11 (drain); 1 of 8 nodes done
  state  w-2: not rebooted, cordoned, detached
         w-1: back in service
         w-3, cp-1, cp-2, cp-3, w-4, w-5: not touched
         0 failed of 32,000
  next   evenkeel roll resume 20261121T061439Z-1f0e    go on with w-2 at drain
         evenkeel roll abort 20261121T061439Z-1f0e     end; put w-2 back now`,
  )
})

test('interrupted while it was put back: why it was to be put back is reported', () => {
  const text = 'not rebooted, cordoned, detached'
  const end = summary(new Story().begin(['w-2']), {
    outcome: 'interrupted',
    exitCode: 130,
    reasons: [budget],
    standings: [standing('w-2', { state: 'out', step: 'uncordon', text })],
    next: [RESUME, ABORT],
  })
  assert.match(
    end,
    /^INTERRUPTED {2}w-2 at step 8 of 11 \(uncordon\); 0 of 1 nodes done\n {2}why {4}shop\/cart-0, budget/,
  )
})

test('after the reboot nothing offers to attach a node before its proof', () => {
  const text = 'may be rebooting, cordoned, detached; it stays so until proven'
  const end = summary(new Story().begin(['w-2']), {
    outcome: 'interrupted',
    exitCode: 130,
    reasons: [],
    standings: [standing('w-2', { state: 'out', step: 'reboot', text })],
    next: [RESUME, ABORT],
  })
  assert.match(end, /may be rebooting, cordoned, detached; it stays so until proven/)
  assert.doesNotMatch(end, /put w-2 back now/)
})

test('held at a limit: restored, and what would help', () => {
  const restored = standing('w-2', { state: 'restored', step: 'drain', text: 'restored as it was' })
  assert.equal(
    summary(heldStory(), {
      outcome: 'held',
      exitCode: 3,
      reasons: [budget],
      standings: [standing('w-1'), restored, ...NODES.slice(2).map(untouched)],
      next: [kubectl`-n shop describe pod cart-2`, RESUME],
      load: load(32_000),
    }),
    `HELD  after 1 of 8 nodes: shop/cart-0, budget shop/cart needs 2 healthy, has 2
      of 3
  state  w-2: restored as it was
         w-1: back in service
         w-3, cp-1, cp-2, cp-3, w-4, w-5: not touched
         0 failed of 32,000
  next   kubectl -n shop describe pod cart-2
         evenkeel roll resume 20261121T061439Z-1f0e    go on`,
  )
})

test('aborted without a probe claims no measurement', () => {
  const story = new Story().add('06:14:39', {
    type: 'roll.started',
    run: RUN,
    cluster: 'c',
    nodes: ['w-1'],
    resumed: true,
  })
  assert.equal(
    summary(story, {
      outcome: 'aborted',
      exitCode: 1,
      reasons: [{ code: 'Aborted', text: 'the roll was aborted; nodes that are out are put back' }],
      standings: [standing('w-1', { state: 'restored', text: 'restored as it was' })],
      next: [],
    }),
    `ABORTED  after 0 of 1 nodes; every node that was out was put back
  state  w-1: restored as it was
         not measured`,
  )
})

test('a run that stopped says for how long it was not measured', () => {
  const story = withFirstNode(new Story().begin(['w-1', 'w-2']))
  const text = summary(story, {
    outcome: 'aborted',
    exitCode: 1,
    reasons: [{ code: 'Aborted', text: 'the roll was aborted; nodes that are out are put back' }],
    standings: [standing('w-1'), untouched('w-2')],
    next: [],
    load: { ...load(32_000), notMeasuredMs: 41_000 },
  })
  assert.match(text, /\n {9}0 failed of 32,000, not measured for 41 s$/)
})

test('done: the verdict, where the time of each node went, what the measurement can say', () => {
  const story = withFirstNode(new Story().begin(['w-1']))
  assert.equal(
    summary(story, {
      outcome: 'completed',
      exitCode: 0,
      reasons: [],
      standings: [standing('w-1')],
      next: [],
      load: { ...load(187_200), notMeasuredMs: 1_200, skipped: 3 },
    }),
    `DONE  1 of 1 node in 16 min 32 s; 0 failed of 187,200 requests, no strays
  node  total  leave  drain  away  return  held  moved  failed
  w-1    4:06   0:32   0:50  0:41    2:03     -     14       0
  limits  with 95 % confidence, fewer than 0.0016 % of requests fail; an outage
          under 50 ms can be missed; 3 samples skipped; not measured for 1.2 s`,
  )
})

test('a hold gives up when what is left of its limit is over, counted from when its reasons changed last', () => {
  const changed = { type: 'hold.changed', node: 'w-2', step: 'drain', limitMs: 780_000 } as const
  const reasons = [{ code: 'PodsHere', text: '2 pods are left' }] as const
  const { view } = heldStory().add('06:21:13', { ...changed, reasons })
  const node = view.nodes.find(({ name }) => name === 'w-2')
  assert.ok(node !== undefined)
  const since = (time: string) => holdBlock(view, node, at(time))?.rows.find(({ label }) => label === 'since')?.texts
  assert.deepEqual(since('06:22:13'), ['06:19:13Z, 3 min; rechecked on every change, gives up at 06:34:13Z'])
  assert.deepEqual(since('06:40:13'), ['06:19:13Z, 21 min; rechecked on every change'])
})
