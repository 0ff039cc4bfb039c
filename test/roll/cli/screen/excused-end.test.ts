import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainLine } from '../../../../src/ground/text/terminal/style.ts'
import { summaryLines } from '../../../../src/roll/cli/screen/summary-lines.ts'
import type { RollEvent } from '../../../../src/roll/model/roll-event.ts'
import { failure, load, Story, standing, untouched, withFirstNode } from './roll-story.ts'

type Ended = Extract<RollEvent, { type: 'roll.ended' }>
const summary = (story: Story, end: Omit<Ended, 'type'>): string =>
  summaryLines(story.add('06:31:11', { type: 'roll.ended', ...end }).view)
    .map(plainLine)
    .join('\n')

const excused = { ...failure, excused: 6 }

test('done with excused requests: their number stands in the verdict and with their window', () => {
  const story = withFirstNode(new Story().begin(['w-1'])).add('06:31:10', {
    type: 'window.closed',
    window: excused,
    blame: [],
    excused: true,
  })
  const end = { outcome: 'completed', exitCode: 0, reasons: [], standings: [standing('w-1')], next: [] } as const
  const text = summary(story, { ...end, load: { ...load(187_200), excused: 6 } })
  assert.match(
    text.replaceAll(/\n +/g, ' '),
    /^DONE {2}1 of 1 node in 16 min 32 s; 0 failed of 187,200 requests, 6 more not counted \(a control failed too\), no strays/,
  )
  assert.match(text.replaceAll(/\n +/g, ' '), /what {4}shop: 6 of 16 failed \(6 not counted\) in 300 to 340 ms/)
})

test('retried requests are named by their number in the verdict, and are no failures', () => {
  const story = withFirstNode(new Story().begin(['w-1']))
  const standings = [standing('w-1')]
  const done = { outcome: 'completed', exitCode: 0, reasons: [], standings, next: [] } as const
  const text = summary(story, { ...done, load: { ...load(187_200), retried: 12 } })
  assert.match(text, /^DONE {2}1 of 1 node in 16 min 32 s; 0 failed of 187,200 requests, 12 retried,/)
  const stopped = { outcome: 'stopped', exitCode: 1, reasons: [], standings: [], next: [] } as const
  const other = withFirstNode(new Story().begin(['w-1']))
  assert.match(
    summary(other, { ...stopped, load: { ...load(187_200), retried: 12 } }),
    /0 failed of 187,200, 12 retried/,
  )
})

test('stopped with excused requests: what counts and what does not stand side by side', () => {
  const story = withFirstNode(new Story().begin(['w-1', 'w-2'])).add('06:31:10', {
    type: 'window.closed',
    window: { ...failure, excused: 2 },
    blame: [{ node: 'w-1', step: 'soak', rank: 1 }],
  })
  const text = summary(story, {
    outcome: 'stopped',
    exitCode: 1,
    reasons: [{ code: 'RequestsFailed', text: '4 of 16 requests to shop failed (new)' }],
    standings: [standing('w-1'), untouched('w-2')],
    next: [],
    load: { ...load(32_000, 4), excused: 2 },
  }).replaceAll(/\n +/g, ' ')
  assert.match(text, /what {3}shop: 6 of 16 failed \(2 not counted\) in 300 to 340 ms/)
  assert.match(text, /4 failed of 32,000, 2 more not counted \(a control failed too\)$/)
})
