import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Level } from '../../../../src/cli/output-options.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { plainLine } from '../../../../src/ground/text/terminal/style.ts'
import { eventLines } from '../../../../src/roll/cli/screen/event-lines.ts'
import { rollViewOf } from '../../../../src/roll/report/view/reduce-roll.ts'
import { budget, failure, heldStory, load, Story, standing, withFirstNode } from './roll-story.ts'

const said = (story: Story, level: Level): readonly string[] =>
  story.events.flatMap((event, index) =>
    eventLines(rollViewOf(story.events.slice(0, index + 1)), event, level).map(plainLine),
  )

test('by default a roll leaves a line per node, and one per hold', () => {
  assert.deepEqual(said(heldStory(), 1), [
    '06:14:39Z -      start     prod-eu1, 8 nodes, run 20261121T061439Z-1f0e',
    '06:14:49Z -      baseline  0 failed of 1,000, p99 11 ms',
    '06:18:45Z w-1    done      4:06, 14 pods moved, 0 failed of 24,600',
    '06:19:13Z w-2    drain     HOLD shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3',
  ])
})

test('a server that had lost its state is named once', () => {
  const server = 'edge/n2 on lb-1'
  const text = `${server} had lost its state and was set to drain again`
  const story = heldStory().add('06:20:23', { type: 'reasserted', node: 'n2', server, afterMs: 200.4, text })
  assert.equal(
    said(story, 1).at(-1),
    '06:20:23Z n2     balancer  edge/n2 on lb-1 had lost its state and was set to drain again, 200 ms after it was last out',
  )
})

test('quiet leaves what decides the exit code', () => {
  const story = heldStory()
    .add('06:20:23', { type: 'hold.ended', node: 'w-2', step: 'drain' })
    .add('06:31:11', { type: 'stray', node: 'cp-1', server: 'web/cp-1 on lb-2', count: 2 })
    .add('06:31:12', { type: 'warning', text: 'the journal cannot be written' })
  assert.deepEqual(said(story, 0), [
    '06:19:13Z w-2    drain     HOLD shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3',
    '06:31:11Z cp-1   stray     STRAY 2 requests sent by web/cp-1 on lb-2 after it had confirmed the detach',
    '06:31:12Z -      warning   the journal cannot be written',
  ])
  assert.equal(
    said(story, 1).find((line) => line.includes('goes on')),
    '06:20:23Z w-2    drain     goes on, held 1:10',
  )
})

test('a window that is found to have begun earlier is still one window', () => {
  const earlier = { ...failure, firstBadAt: wallMs(failure.firstBadAt - 40), failed: 7 }
  const story = new Story()
    .begin(['w-1'])
    .add('06:30:58.600', { type: 'window.opened', window: failure, blame: [] })
    .add('06:30:58.700', { type: 'window.opened', window: { ...failure, lane: 'kept' }, blame: [] })
    .add('06:31:00', { type: 'window.closed', window: earlier, blame: [] })
  assert.deepEqual(
    story.view.windows.map(({ window, closed }) => [window.lane, window.failed, closed]),
    [
      ['new', 7, true],
      ['kept', 6, false],
    ],
  )
})

test('verbose leaves every step and pod, very verbose every write', () => {
  const story = new Story()
    .begin(['w-1'])
    .steps('w-1', [
      ['06:14:50', 'slot'],
      ['06:14:51', 'drain'],
    ])
    .add('06:14:52', { type: 'write', node: 'w-1', action: 'evict', text: 'evict shop/api-7c9d', ok: true })
    .add('06:14:53', { type: 'write', node: 'w-1', action: 'evict', text: 'evict shop/cart-0', ok: false })
    .add('06:14:54', { type: 'pod.moved', node: 'w-1', pod: 'shop/api-7c9d', stage: 2 })
    .add('06:15:41', { type: 'step.ended', node: 'w-1', step: 'drain', reasons: [] })
  assert.deepEqual(said(story, 2).slice(2), [
    '06:14:50Z w-1    slot      begins: slot is due',
    '06:14:51Z w-1    slot      done in 0:01',
    '06:14:51Z w-1    drain     begins: drain is due',
    '06:14:54Z w-1    drain     shop/api-7c9d left, stage 2',
    '06:15:41Z w-1    drain     done in 0:50',
  ])
  assert.deepEqual(
    said(story, 3).filter((line) => line.includes('write')),
    ['06:14:52Z w-1    write     evict shop/api-7c9d', '06:14:53Z w-1    write     FAILED evict shop/cart-0'],
  )
})

test('a node that stays out or was put back is reported as it stands', () => {
  const story = new Story().begin(['w-1', 'w-2'])
  story.add('06:15:00', {
    type: 'node.ended',
    standing: standing('w-1', { state: 'restored', text: 'restored as it was', podsMoved: 0 }),
  })
  story.add('06:15:01', {
    type: 'node.ended',
    standing: standing('w-2', { state: 'out', text: 'rebooted, cordoned, detached', podsMoved: 1 }),
  })
  assert.deepEqual(said(story, 1).slice(2), [
    '06:15:00Z w-1    restored  restored as it was, no pods moved',
    '06:15:01Z w-2    out       rebooted, cordoned, detached, 1 pod moved',
  ])
})

test('the line of a node counts what was sent since the baseline, not the requests of the baseline', () => {
  const story = new Story()
    .add('06:14:39', { type: 'roll.started', run: 'r', cluster: 'prod-eu1', nodes: ['w-1'], resumed: false })
    .add('06:14:45', { type: 'load.tick', load: { ...load(600), inBaseline: true } })
    .add('06:14:46', { type: 'node.started', node: 'w-1', index: 0 })
    .add('06:14:48', { type: 'load.tick', load: { ...load(900), inBaseline: true } })
    .add('06:14:49', { type: 'baseline.ended', sent: 1_000, p99Ms: 11 })
    .add('06:14:51', { type: 'load.tick', load: load(176, 1) })
    .add('06:14:51', { type: 'node.ended', standing: standing('w-1', { failedRequests: 1, podsMoved: 0 }) })
  assert.equal(said(story, 1).at(-1), '06:14:51Z w-1    done      0:05, no pods moved, 1 failed of 176')
})

test('a node that ended before a baseline was over claims nothing of its requests', () => {
  const story = new Story()
    .add('06:14:39', { type: 'roll.started', run: 'r', cluster: 'prod-eu1', nodes: ['w-1'], resumed: false })
    .add('06:14:40', { type: 'load.tick', load: { ...load(100), inBaseline: true } })
    .add('06:14:40', { type: 'node.started', node: 'w-1', index: 0 })
    .add('06:14:45', { type: 'load.tick', load: { ...load(600), inBaseline: true } })
    .add('06:14:46', {
      type: 'node.ended',
      standing: standing('w-1', { state: 'restored', text: 'restored as it was' }),
    })
  assert.equal(said(story, 1).at(-1), '06:14:46Z w-1    restored  0:06, restored as it was, 14 pods moved')
})

test('names from outside cannot reach the terminal as controls, and long ones keep the columns', () => {
  const story = new Story().begin(['w-1', 'a-much-longer-name'])
  story.add('06:15:00', { type: 'warning', node: 'w-1', text: 'evil \x1b[2J name\r\n' })
  const lines = said(story, 1)
  assert.equal(lines.at(-1), '06:15:00Z w-1                warning   evil \\x1b[2J name\\x0d\\x0a')
})

test('a resumed run goes on from the counts of the process before and keeps what was done', () => {
  const story = withFirstNode(new Story().begin(['w-1', 'w-2']))
  story.add('06:18:46', { type: 'node.started', node: 'w-2', index: 1 }).steps('w-2', [['06:18:46', 'drain']])
  story.add('06:19:13', { type: 'hold.started', node: 'w-2', step: 'drain', reasons: [budget] })
  story.add('07:00:00', { type: 'roll.started', run: 'r', cluster: 'prod-eu1', nodes: ['w-1', 'w-2'], resumed: true })
  assert.equal(said(story, 1).at(-1), '07:00:00Z -      resume    prod-eu1, 2 nodes, run r')
  const [first, second] = story.view.nodes
  assert.equal(first?.state, 'ended')
  assert.equal(second?.steps[0]?.endedAt, Date.parse('2026-11-21T06:19:13Z'))
  assert.equal(second?.steps[0]?.holds[0]?.endedAt, Date.parse('2026-11-21T06:19:13Z'))
  assert.equal(story.view.load?.sent, 25_600)
  story.add('07:10:00', { type: 'load.tick', load: load(90_000) }).add('07:10:01', {
    type: 'node.ended',
    standing: standing('w-2', { podsMoved: 11 }),
  })
  assert.equal(said(story, 1).at(-1), '07:10:01Z w-2    done      51:15, 11 pods moved, 0 failed of 64,400')
})

test('a roll of what needs a reboot says how many nodes it skips, and keeps their reasons when it is resumed', () => {
  const skipped = [{ node: 'w-2', why: 'needs no reboot: no file' }]
  const story = new Story()
    .begin(['w-1'])
    .add('06:14:40', { type: 'nodes.chosen', needed: [{ node: 'w-1', why: 'a file' }], skipped })
  assert.equal(said(story, 1).at(-1), '06:14:40Z -      need      1 node to reboot, 1 skipped')
  story.add('06:15:40', { type: 'roll.started', run: 'r', cluster: 'c', nodes: ['w-1'], resumed: true })
  assert.deepEqual(story.view.skipped, skipped)
})
