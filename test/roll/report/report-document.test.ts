import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadColumns, thinnedColumns } from '../../../src/roll/report/document/load-columns.ts'
import { serverTells } from '../../../src/roll/report/document/server-tells.ts'
import { downtimeOf } from '../../../src/roll/report/downtime.ts'
import { type ReportDocument, reportDocument } from '../../../src/roll/report/report-document.ts'
import { stopRules } from '../../../src/roll/report/stop-rules.ts'
import { verdictFacts, verdictSentence, whyOf } from '../../../src/roll/report/verdict.ts'
import { outcomeDocument } from '../../../src/roll/report/view/outcome-document.ts'
import { rollViewOf } from '../../../src/roll/report/view/reduce-roll.ts'
import { describeAction } from '../../../src/roll/run/describe-action.ts'
import { aLoad } from '../../support/journaled.ts'
import { excusedRun } from '../../support/report-runs/excused-run.ts'
import { SPEC } from '../../support/report-runs/fixed-spec.ts'
import { cleanRun, failedRun, keptOutRun } from '../../support/report-runs/report-runs.ts'

const failed = (): ReportDocument => reportDocument({ events: failedRun(), spec: SPEC })

test('the report has all that -o json of a roll has, by the same names', () => {
  const report: Readonly<Record<string, unknown>> = { ...failed() }
  const { windows, nodes, ...rest } = outcomeDocument(rollViewOf(failedRun()))
  for (const [name, value] of Object.entries(rest)) assert.deepEqual(report[name], value, name)
  const { windows: shown, nodes: shownNodes } = failed()
  assert.deepEqual(
    shown.map(({ excused: _, servedBefore: __, servedAfter: ___, ...window }) => window),
    windows,
  )
  assert.deepEqual(
    shownNodes.map(({ name, steps }) => ({ name, steps: steps.map(({ holds: _, progress: __, ...step }) => step) })),
    nodes,
  )
})

test('the load is in columns of rises, which add up to what was sent and what failed', () => {
  const { load, sentRequests, failedRequests } = failed()
  const sum = (values: readonly number[] = []): number => values.reduce((total, value) => total + value, 0)
  assert.equal(sum(load?.sent), sentRequests)
  assert.equal(sum(load?.failed), failedRequests)
  assert.equal(sum(load?.skipped), 3)
  assert.equal(load?.atMs[1], 5_000)
  const slower = load === null ? null : thinnedColumns(load, 60_000)
  assert.equal(slower?.sent.length, 13)
  assert.equal(sum(slower?.sent), sentRequests)
  assert.equal(sum(slower?.atMs), sum(load?.atMs))
})

test('the columns of the load never go back: what was sent in the baseline counts only where it was never over', () => {
  const one = (at: string, sent: number, inBaseline?: true) => ({
    at: `2026-11-21T06:14:${at}Z`,
    load: { ...aLoad(sent), ...(inBaseline === undefined ? {} : { inBaseline }) },
  })
  const baseline = [one('44.000', 500, true), one('49.000', 1_000, true)]
  assert.deepEqual(loadColumns([...baseline, one('54.000', 490), one('59.000', 990)])?.sent, [0, 0, 490, 500])
  assert.deepEqual(loadColumns(baseline)?.sent, [500, 500])
})

test('where nothing was measured is known to within two counts', () => {
  assert.deepEqual(failed().notMeasured, [
    { from: '2026-11-21T06:19:14.182Z', to: '2026-11-21T06:19:19.182Z', ms: 2_400 },
  ])
})

test('a write to a balancer is read back from the words it is told in', () => {
  const ref = { instance: 'lb-1', backend: 'web', server: 'srv/on to' }
  const action = { kind: 'setServer', node: 'n1', balancer: 'edge', ref, state: 'maint', restores: false } as const
  const write = {
    type: 'write',
    node: 'n1',
    action: 'setServer',
    v: '1.0',
    seq: 0,
    at: '2026-11-21T06:14:39Z',
  } as const
  const text = describeAction(action)
  assert.deepEqual(serverTells([{ ...write, text, ok: true }]), [
    { at: '2026-11-21T06:14:39Z', ...ref, state: 'maint', how: 'told' },
  ])
  assert.deepEqual(serverTells([{ ...write, text: `${text}: refused`, ok: false }]), [])
})

test('lanes that fail together are one downtime; an edge that no probe saw leaves no upper bound', () => {
  const at = (ms: number): string => new Date(1_000_000 + ms).toISOString()
  const one = { lastOkAt: at(0), firstBadAt: at(10), lowMs: 100, firstOkAt: at(120) }
  const other = { lastOkAt: at(50), firstBadAt: at(60), lowMs: 140, firstOkAt: at(210) }
  assert.deepEqual(downtimeOf([other, one]), { lowMs: 190, highMs: 210 })
  assert.deepEqual(downtimeOf([one, { ...other, firstOkAt: null }]), { lowMs: 190, highMs: null })
})

test('a roll without an end has not ended while a process works on it, and was interrupted once that is gone', () => {
  const events = cleanRun().filter(({ type }) => type !== 'roll.ended')
  const said = (running: boolean) => {
    const report = reportDocument({ events, running })
    return [report.outcome, whyOf(report)]
  }
  assert.deepEqual(said(true), ['running', 'The roll has not ended.'])
  assert.deepEqual(said(false), ['interrupted', 'Its process is gone; the roll has not ended.'])
})

test('the verdict says what failed, for how long, and what cannot be known', () => {
  assert.equal(
    verdictSentence(reportDocument({ events: cleanRun() })),
    '3 of 3 nodes rolled in 10 min 15 s; 0 failed of 60,500 requests',
  )
  assert.equal(
    verdictSentence(reportDocument({ events: keptOutRun() })),
    'after 1 of 3 nodes in 19 min 35 s: n2 did not come back within 15 min of its reboot; 0 failed of 116,500 requests',
  )
  const facts = Object.fromEntries(verdictFacts(failed()).map(({ name, value }) => [name, value]))
  assert.deepEqual(facts, {
    'Failed requests': '77 of 76,500; 0.10 %, 1 in reloads of a balancer',
    'Failed, new connections': '68',
    'Failed, kept connections': '9',
    Downtime: '4.40 to 4.52 s',
    Strays: '2',
    Moves: '48 pods moved',
    'Longest hold':
      '1 min 10 s: w-2, drain, shop/cart-0 cannot be evicted now: budget shop/cart needs 2 healthy pods and has 2 of 3',
    Time: '12 min 59 s',
  })
})

test('retried requests are counted apart and said with their number', () => {
  const events = cleanRun().map((event) =>
    event.type === 'roll.ended' && event.load !== undefined ? { ...event, load: { ...event.load, retried: 4 } } : event,
  )
  const report = reportDocument({ events })
  assert.equal(report.retriedRequests, 4)
  assert.match(verdictSentence(report), /; 0 failed of 60,500 requests, 4 retried$/)
  assert.match(verdictFacts(report).find(({ name }) => name === 'Retried')?.value ?? '', /^4: the server had closed/)
})

test('what a control excuses is counted apart, in all and in each window', () => {
  const report = reportDocument({ events: excusedRun() })
  assert.deepEqual([report.failedRequests, report.excusedRequests], [2, 13])
  assert.deepEqual(
    report.windows.map(({ failed, excusedRequests, excused }) => [failed, excusedRequests, excused]),
    [
      [9, 9, true],
      [6, 4, false],
    ],
  )
  assert.match(verdictSentence(report), /; 2 failed of 18,000 requests, 13 more not counted$/)
  const facts = new Map(verdictFacts(report).map(({ name, value }) => [name, value]))
  assert.equal(facts.get('Not counted'), '13 failed while a control target failed too')
  assert.equal(facts.get('Failed, new connections'), '2')
  assert.equal(facts.get('Downtime'), '300 to 340 ms')
})

test('a slot that a resumed roll waits for after the reboot is no hold before the reboot', () => {
  const report = reportDocument({ events: cleanRun(), spec: SPEC })
  const span = (from: string, to: string) => ({
    startedAt: `2026-11-21T06:${from}:00Z`,
    endedAt: `2026-11-21T06:${to}:00Z`,
  })
  const step = (name: 'slot' | 'drain' | 'reboot', from: string, to: string) => ({
    ...{ step: name, ...span(from, to), reasons: [], progress: null },
    holds: name === 'reboot' ? [] : [{ ...span(from, to), reasons: [] }],
  })
  const rolled = (...steps: readonly ReturnType<typeof step>[]) =>
    stopRules({ ...report, nodes: report.nodes.slice(0, 1).map((node) => ({ ...node, steps })) })
  const longest = (rules: ReturnType<typeof stopRules>) =>
    rules.find(({ rule }) => rule === 'longest hold before the reboot')?.measured
  const before = [step('slot', '10', '11'), step('drain', '11', '13')]
  assert.equal(longest(rolled(...before, step('reboot', '13', '14'), step('slot', '14', '50'))), '2 min (w-1)')
  assert.equal(longest(rolled(...before, step('slot', '14', '50'))), '36 min (w-1)')
})

test('a roll without a measurement claims nothing about availability', () => {
  const silent = cleanRun().filter(({ type }) => type !== 'load.tick' && type !== 'baseline.ended')
  const events = silent.map((event) => (event.type === 'roll.ended' ? withoutLoad(event) : event))
  const report = reportDocument({ events })
  assert.equal(report.load, null)
  assert.equal(verdictSentence(report), '3 of 3 nodes rolled in 10 min 15 s; nothing was measured')
  assert.equal(verdictFacts(report).find(({ name }) => name === 'Downtime')?.value, 'not measured')
})

function withoutLoad<Event extends { readonly load?: unknown }>({ load: _, ...event }: Event) {
  return event
}
