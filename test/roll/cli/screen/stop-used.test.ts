import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainLine } from '../../../../src/ground/text/terminal/style.ts'
import { NO_COUNTS, rollMetrics } from '../../../../src/roll/cli/screen/roll-metrics.ts'
import { summaryLines } from '../../../../src/roll/cli/screen/summary-lines.ts'
import type { RollOutcome } from '../../../../src/roll/model/roll-event.ts'
import type { StopSpec } from '../../../../src/roll/model/stop-spec.ts'
import type { StopUse } from '../../../../src/roll/model/stop-use.ts'
import { markdownReport } from '../../../../src/roll/report/markdown-report.ts'
import { reportDocument } from '../../../../src/roll/report/report-document.ts'
import { outcomeDocument } from '../../../../src/roll/report/view/outcome-document.ts'
import { stopsText } from '../../../../src/roll/report/view/stop-text.ts'
import { load, Story, standing, withFirstNode } from './roll-story.ts'

const USES: readonly StopUse[] = [
  { rule: 'failedRequests', used: 2, allowed: 5 },
  { rule: 'failedRequestsOfNode', node: 'w-1', used: 2, allowed: 2 },
  { rule: 'latency', target: 'shop', slowerThanMs: 500, overMs: 30_000, used: 0.004, allowed: 0.01 },
  { rule: 'downtime', target: 'shop', used: 3_240, allowed: 10_000 },
]

/** One node, through, with two failed requests. */
function story(outcome: RollOutcome, uses: readonly StopUse[]): Story {
  const begun = withFirstNode(new Story().begin(['w-1']))
  const reasons = outcome === 'completed' ? [] : [{ code: 'TooManyFailed', text: '6 requests failed' } as const]
  return begun.add('06:18:46', {
    type: 'roll.ended',
    outcome,
    exitCode: outcome === 'completed' ? 0 : 1,
    reasons,
    standings: [standing('w-1', { failedRequests: 2 })],
    next: [],
    load: { ...load(25_700, 2), stop: uses },
  })
}

const shown = (ended: Story): string => summaryLines(ended.view).map(plainLine).join('\n')

test('the end says how much was used of what the file allows', () => {
  const text = shown(story('completed', USES))
  assert.match(text, /^DONE {2}1 of 1 node in .*; 2 failed of 25,700 requests, 5 allowed/)
  assert.match(
    text.replace(/\s+/g, ' '),
    /used failed requests: 2 of 5 allowed failed requests of one node \(most: w-1\): 2 of 2 allowed requests to shop slower than 500 ms, highest share in 30 s: 0.4 % of 1 % allowed downtime of shop, at most: 3.2 s of 10 s allowed/,
  )
})

test('a stop says the same, and what was too much', () => {
  const text = shown(story('stopped', [{ rule: 'failedRequests', used: 6, allowed: 5 }]))
  assert.match(text, /^STOPPED {2}after 1 of 1 nodes: 6 requests failed$/m)
  assert.match(text, /^ {2}used +failed requests: 6 of 5 allowed$/m)
})

test('a file that allows nothing has no such lines', () => {
  const { stop: _, ...bare } = { ...load(25_700), stop: undefined }
  const ended = withFirstNode(new Story().begin(['w-1'])).add('06:18:46', {
    type: 'roll.ended',
    outcome: 'completed',
    exitCode: 0,
    reasons: [],
    standings: [standing('w-1')],
    next: [],
    load: bare,
  })
  assert.doesNotMatch(shown(ended), /allowed|used/)
  assert.equal('stop' in outcomeDocument(ended.view), false)
})

test('the document has the numbers, and the report has them beside their limits', () => {
  const { events, view } = story('stopped', [...USES, { rule: 'downtime', target: 'api', used: 900, allowed: 500 }])
  assert.deepEqual(outcomeDocument(view).stop?.slice(0, 4), USES)
  const text = markdownReport(reportDocument({ events }))
  for (const row of [
    '| failed requests | 2 | 5 allowed | ok |',
    '| failed requests of one node (most: w-1) | 2 | 2 allowed | ok |',
    '| requests to shop slower than 500 ms, highest share in 30 s | 0.4 % | 1 % allowed | ok |',
    '| downtime of shop, at most | 3.2 s | 10 s allowed | ok |',
    '| downtime of api, at most | 900 ms | 500 ms allowed | limit reached |',
  ])
    assert.ok(text.includes(row), `${row}\n${text}`)
  assert.doesNotMatch(text, /failed requests after the baseline/)
})

test('the metrics have each rule with what it allows', () => {
  const text = rollMetrics(story('completed', USES).view, NO_COUNTS, { at: 0, updatedAt: 0 })
  for (const series of [
    'evenkeel_roll_stop_rule_used{rule="failedRequests"} 2',
    'evenkeel_roll_stop_rule_allowed{rule="failedRequests"} 5',
    'evenkeel_roll_stop_rule_used{rule="latency",target="shop",slower_than="0.5"} 0.004',
    'evenkeel_roll_stop_rule_used{rule="downtime",target="shop"} 3.24',
  ])
    assert.ok(text.split('\n').includes(series), `${series}\n${text}`)
})

const LOAD = [
  { name: 'shop', url: 'http://a/', ratePerSecond: 100, control: false },
  { name: 'api', url: 'http://b/', ratePerSecond: 100, control: false },
]
const NONE: StopSpec = { latency: [], downtime: [] }
const SLOW: StopSpec['latency'] = [{ target: 'shop', slowerThanMs: 500, share: 0.005, overMs: 30_000 }]

const PLANS: readonly (readonly [stop: StopSpec | undefined, text: string])[] = [
  [undefined, 'at the first failed request after the baseline'],
  [
    { ...NONE, failedRequests: { inAll: 5, perNode: 2 } },
    'at more than 5 failed requests in all; at more than 2 failed requests of one node',
  ],
  [{ ...NONE, failedRequests: { inAll: 1, perNode: 1 } }, 'at more than 1 failed request in all'],
  [
    { ...NONE, latency: SLOW },
    'at the first failed request to shop, api; at more than 0.5 % of the requests to shop slower than 500 ms in 30 s',
  ],
  [
    { ...NONE, downtime: [{ target: 'shop', downtimeMs: 10_000 }] },
    'at the first failed request to api; at more than 10 s of downtime of shop in all',
  ],
]

for (const [stop, text] of PLANS) {
  test(`a plan says that the roll stops ${text}`, () => {
    assert.equal(stopsText({ load: LOAD, ...(stop === undefined ? {} : { stop }) }, ''), text)
  })
}
