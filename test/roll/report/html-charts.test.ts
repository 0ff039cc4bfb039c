import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { fittedReport } from '../../../src/roll/report/fitted-report.ts'
import { htmlReport } from '../../../src/roll/report/html-report.ts'
import { reportDocument } from '../../../src/roll/report/report-document.ts'
import { elementsOf, type HtmlElement, htmlTree, textIn } from '../../support/html-tree.ts'
import { SPEC } from '../../support/report-runs/fixed-spec.ts'
import { measured, REPORT_PAGES } from '../../support/report-runs/report-pages.ts'
import { cleanRun, failedRun, longRun, windowAt } from '../../support/report-runs/report-runs.ts'
import { RunTeller } from '../../support/report-runs/run-teller.ts'

/** Twenty-five outages of both lanes while one node settles: a service that flaps. */
function manyOutagesRun(): readonly StampedEvent[] {
  const teller = new RunTeller('prod-eu1', ['w-1'])
  const blame = [{ node: 'w-1', step: 'settle', rank: 1 } as const]
  const settle = (): void => {
    for (let count = 0; count < 25; count += 1) {
      for (const lane of ['new', 'kept'] as const) {
        const window = windowAt(teller.now, { lengthMs: 300, lane, ...(lane === 'kept' && { sent: 0, failed: 0 }) })
        teller.lost({ failed: window.failed }).emit({ type: 'window.closed', window, blame, reloads: [] })
      }
      teller.wait(4)
    }
  }
  teller.node('w-1', { pods: 3, servers: [] }, { settle }).ended('w-1', { failedRequests: 150 })
  const standings = [teller.standing('w-1', { failedRequests: 150 })]
  const reasons = [{ code: 'RequestsFailed' as const, text: '150 requests failed while w-1 settled' }]
  teller.emit({
    type: 'roll.ended',
    outcome: 'stopped',
    exitCode: 1,
    reasons,
    standings,
    next: [],
    load: teller.load(),
  })
  return teller.events
}

const all = (root: HtmlElement, tag: string): readonly HtmlElement[] => elementsOf(root).filter((e) => e.tag === tag)
const byId = (root: HtmlElement, id: string): HtmlElement => {
  const found = elementsOf(root).find(({ attributes }) => attributes.id === id)
  assert.ok(found, `#${id} is there`)
  return found
}

test('twenty-five outages: twenty are drawn, the others are a table with the same facts, and the page stays small', () => {
  const page = fittedReport(measured(manyOutagesRun()))
  assert.ok(page.bytes < 1_000_000, `the page has ${page.bytes} bytes`)
  const tree = htmlTree(page.html)
  assert.equal(all(tree, 'article').length, 20)
  const rows = elementsOf(byId(tree, 'windows')).filter(({ tag, attributes }) => tag === 'tr' && 'id' in attributes)
  assert.deepEqual(
    rows.map(({ attributes }) => attributes.id),
    ['window-21', 'window-22', 'window-23', 'window-24', 'window-25'],
  )
  assert.match(textIn(rows[0] ?? tree), /6 of 16.*connect ECONNREFUSED/)
})

test('a roll of eight hours with sixty nodes stays below the size at which a browser is slow', () => {
  const report = measured(longRun())
  const start = Date.parse(report.startedAt ?? '')
  const seconds = Array.from({ length: 8 * 3_600 }, (_, index) => ({
    at: new Date(start + index * 1000).toISOString(),
    good: 100,
    failed: 0,
    p50Ms: 3 + (index % 7) / 10,
    p99Ms: 11 + (index % 13) / 10,
    maxMs: 40 + (index % 101),
  }))
  const page = fittedReport(reportDocument({ events: longRun(), spec: SPEC, latency: seconds }))
  assert.equal(page.warning, undefined)
  assert.ok(page.bytes < 2_000_000, `the page has ${page.bytes} bytes`)
})

test('the charts stand on the axis of the steps, and say their figures', () => {
  const marks = elementsOf(byId(htmlTree(htmlReport(measured(failedRun()))), 'drawing')).filter(
    ({ attributes }) => attributes['data-kind'] === 'chart',
  )
  const [failures, latency] = marks.map(({ attributes }) => attributes['aria-label'] ?? '')
  assert.match(
    failures ?? '',
    /^Failed requests in each 1 s\n77 requests failed, at most 76 at 06:27:\d\dZ$|^Failed requests in each 1 s\n77 requests failed/,
  )
  assert.match(latency ?? '', /\np50 [\d.]+ ms to [\d.]+ ms, highest at .*\np99 .*\nmax .*/)
})

test('where no latency was kept, failures are drawn from the counts of the journal, and the page says why there is no latency', () => {
  const page = htmlTree(htmlReport(reportDocument({ events: failedRun(), spec: SPEC })))
  const charts = elementsOf(page).filter(({ attributes }) => attributes['data-kind'] === 'chart')
  assert.equal(charts.length, 1)
  assert.match(charts[0]?.attributes['aria-label'] ?? '', /^Failed requests in each 5 s\n77 requests failed/)
  assert.match(textIn(byId(page, 'latency')), /latency\.jsonl beside the journal/)
})

test('the evidence names context, API server, user, version, run and reason', () => {
  const evidence = textIn(byId(htmlTree(htmlReport(measured(cleanRun()))), 'evidence'))
  for (const value of [
    'prod-eu1',
    'https://k8s.prod-eu1.example.com:6443',
    'alice@example.com',
    'kernel 6.1.140',
    'evenkeel 0.1.0',
  ]) {
    assert.ok(evidence.includes(value), value)
  }
})

test('the page of a demo has the figures of the terminal, and says why the figures of the roll are others', () => {
  const text = textIn(byId(htmlTree(REPORT_PAGES.demo?.() ?? ''), 'comparison'))
  assert.match(text, /These are the figures that the demo prints\./)
  assert.match(text, /own prober, which sends 100 requests a second/)
  assert.match(text, /31,200/)
})
