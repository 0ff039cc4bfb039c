import assert from 'node:assert/strict'
import { test } from 'node:test'
import { htmlReport } from '../../../src/roll/report/html-report.ts'
import { markdownReport } from '../../../src/roll/report/markdown-report.ts'
import { reportDocument } from '../../../src/roll/report/report-document.ts'
import { plain } from '../../support/plain.ts'
import { excusedRun } from '../../support/report-runs/excused-run.ts'
import { SPEC } from '../../support/report-runs/fixed-spec.ts'
import { heldRun } from '../../support/report-runs/held-run.ts'
import { cleanRun, failedRun, HOSTILE, hostileRun } from '../../support/report-runs/report-runs.ts'

test('verdict first, then windows, nodes, holds; rules and what the measurement covers are evidence', () => {
  const text = markdownReport(reportDocument({ events: failedRun(), spec: SPEC, tool: '0.1.0' }))
  assert.deepEqual(
    text
      .split('\n')
      .filter((line) => line.startsWith('#'))
      .map((line) => line.replace(/^(# STOPPED).*/, '$1')),
    [
      '# STOPPED',
      '## Next',
      '## Failure windows',
      '## Nodes',
      '## Holds',
      '## Warnings',
      '## Stop rules',
      '## Limits of the measurement',
      '## Evidence',
    ],
  )
  assert.match(text, /^\| failed requests after the baseline \| 77 \| 0 \| limit reached \|$/m)
  assert.match(
    text,
    /^\| 2 \| 06:27:29\.98Z \| 15 \| 25 \| 300 to 340 ms \| new and kept \| kept connection closed \(7\), connect failed \(6\), connection reset \(2\) \|/m,
  )
  assert.match(text, /^\| w-2 \| 4:12 \| 0:22 \| 2:12 \| 0:53 \| 0:45 \| 1:10 \| 12 \| 0 \| back in service \|$/m)
  assert.match(text, /^- w-2, drain, 06:18:33Z, 1 min 10 s: shop\/cart-0 cannot be evicted now/m)
  assert.doesNotMatch(text, /hunter2|s3cret/)
})

test('what a control excuses is reported beside what counts', () => {
  const text = markdownReport(reportDocument({ events: excusedRun() }))
  assert.match(text, /^\| Not counted \| 13 failed while a control target failed too \|$/m)
  assert.match(
    text,
    /^\| failed requests after the baseline \| 2 \(and 13 with a control that failed too\) \| 0 \| limit reached \|$/m,
  )
  assert.match(text, /^\| 1 \| [\d:.]+Z \| 9 \| 9 \| .* \| a control target failed too: not counted \|$/m)
  assert.match(
    text,
    /^\| 2 \| [\d:.]+Z \| 6 \(4 not counted\) \| 16 \| .* \| w-1, settle; no other step was under way \|$/m,
  )
})

test('a clean run is short', () => {
  const text = markdownReport(reportDocument({ events: cleanRun() }))
  assert.match(text, /^# DONE 3 of 3 nodes rolled in 10 min 15 s; 0 failed of 60,500 requests$/m)
  assert.match(text, /^None in the journal\.$/m)
  assert.ok(text.split('\n').length < 50)
})

test('what comes from outside is neither HTML, nor a link, nor a cell, nor a line of its own', () => {
  const text = markdownReport(reportDocument({ events: hostileRun(), journal: HOSTILE }))
  assert.doesNotMatch(text, /(?<!\\)[<>[\]`@]/)
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]/)
  const tables = text.split('\n\n').filter((block) => block.startsWith('|'))
  for (const table of tables) {
    const cells = table.split('\n').map((line) => line.match(/(?<!\\)\|/g)?.length)
    assert.deepEqual(new Set(cells).size, 1, table)
  }
})

for (const [name, run] of Object.entries({ failedRun, heldRun, hostileRun })) {
  test(`a journal whose commands are texts, as an earlier version wrote them, makes the same report: ${name}`, () => {
    const [now, before] = [run(), plain(run())].map((events) => reportDocument({ events, spec: SPEC, tool: '0.1.0' }))
    assert.ok(now !== undefined && before !== undefined)
    assert.deepEqual(plain(before), plain(now))
    assert.equal(markdownReport(before), markdownReport(now))
    assert.equal(htmlReport(before), htmlReport(now))
  })
}
