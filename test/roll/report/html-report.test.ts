import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { fittedReport } from '../../../src/roll/report/fitted-report.ts'
import { htmlReport } from '../../../src/roll/report/html-report.ts'
import { type ReportDocument, reportDocument } from '../../../src/roll/report/report-document.ts'
import { elementsOf, type HtmlElement, htmlTree, textIn } from '../../support/html-tree.ts'
import { plain } from '../../support/plain.ts'
import { excusedRun } from '../../support/report-runs/excused-run.ts'
import { SPEC } from '../../support/report-runs/fixed-spec.ts'
import {
  checkedRun,
  cleanRun,
  failedRun,
  HOSTILE,
  hostileRun,
  keptOutRun,
  longRun,
} from '../../support/report-runs/report-runs.ts'

const RUNS = { checkedRun, cleanRun, failedRun, keptOutRun, hostileRun, longRun }

const pageOf = (report: ReportDocument): HtmlElement => htmlTree(htmlReport(report))
const all = (root: HtmlElement, tag: string): readonly HtmlElement[] => elementsOf(root).filter((e) => e.tag === tag)
const byId = (root: HtmlElement, id: string): HtmlElement => {
  const found = elementsOf(root).find(({ attributes }) => attributes.id === id)
  assert.ok(found, `#${id} is there`)
  return found
}
const failed = (): ReportDocument => reportDocument({ events: failedRun(), spec: SPEC, tool: '0.1.0' })

for (const [name, run] of Object.entries(RUNS)) {
  test(`law: the page of a report loads nothing and runs no script but its own; ${name} in strict HTML`, () => {
    const page = pageOf(reportDocument({ events: run() }))
    const elements = elementsOf(page)
    assert.deepEqual(
      elements.filter(({ tag }) =>
        ['img', 'link', 'iframe', 'object', 'embed', 'base', 'form', 'image', 'use'].includes(tag),
      ),
      [],
    )
    const scripts = all(page, 'script')
    assert.deepEqual(
      scripts.map(({ attributes }) => attributes),
      [{ type: 'application/json', id: 'data' }, {}],
    )
    const attributes = elements.flatMap((element) => Object.entries(element.attributes))
    assert.deepEqual(
      attributes.filter(([key, value]) => /^on|^style$|^src$/i.test(key) || (key === 'href' && !value.startsWith('#'))),
      [],
    )
  })
}

test('law: the page of a report loads nothing and runs no script but its own; its policy forbids everything but the style and the script in it', () => {
  const page = pageOf(failed())
  const hashOf = (tag: string): string => {
    const text = all(page, tag)
      .filter(({ attributes }) => attributes.type === undefined)
      .map(textIn)
      .join('')
    return createHash('sha256').update(text).digest('base64')
  }
  const policy = all(page, 'meta').find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy')
  assert.equal(
    policy?.attributes.content,
    `default-src 'none'; style-src 'sha256-${hashOf('style')}'; script-src 'sha256-${hashOf('script')}'; base-uri 'none'; form-action 'none'`,
  )
})

test('law: the page of a report loads nothing and runs no script but its own; what comes from outside is text wherever it stands, and its controls are spelt out', () => {
  const html = htmlReport(reportDocument({ events: hostileRun(), journal: HOSTILE, tool: HOSTILE }))
  assert.doesNotMatch(html, /<img|alert\(1\)<\/script|onload="/)
  assert.doesNotMatch(html, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]/)
  const page = htmlTree(html)
  const shown = HOSTILE.replace('\u0007', '\\x07')
    .replace('\u001b', '\\x1b')
    .replace('\u202e', '\\u202e')
    .replace('\u2028', '\\u2028')
  const places = elementsOf(page).filter((element) => textIn(element) === shown)
  assert.ok(places.length >= 8, `it stands as text in ${places.length} places`)
})

test('the data that the page bears are those of -o json', () => {
  const report = failed()
  const text = textIn(byId(pageOf(report), 'data'))
  assert.doesNotMatch(text, /</)
  assert.deepEqual(JSON.parse(text), plain(report))
  const hostile = reportDocument({ events: hostileRun() })
  assert.deepEqual(JSON.parse(textIn(byId(pageOf(hostile), 'data'))), plain(hostile))
})

test('verdict, timeline, windows, latency, nodes, rules, limits of the measurement, evidence: in this order', () => {
  const page = pageOf(failed())
  assert.equal(textIn(all(page, 'title')[0] ?? page), 'STOPPED, 77 failed of 76,500, prod-eu1, 2026-11-21')
  assert.deepEqual(all(page, 'h2').map(textIn), [
    'Next',
    'Timeline',
    'Failure windows',
    'Latency',
    'Nodes',
    'Stop rules',
    'Limits of the measurement',
    'Evidence',
  ])
  assert.match(
    textIn(all(page, 'h1')[0] ?? page),
    /^STOPPED after 3 of 8 nodes in 12 min 59 s; 77 failed of 76,500 requests$/,
  )
})

test('the title of a clean run is its verdict', () => {
  const page = pageOf(reportDocument({ events: cleanRun() }))
  assert.equal(textIn(all(page, 'title')[0] ?? page), '0 failed of 60,500, prod-eu1, 2026-11-21')
  assert.match(textIn(byId(page, 'windows')), /No request of 60,500 failed; an outage under 50 ms can be missed\./)
})

test('each window has its card, with both lanes in it: bounds, classes, error, who served, steps by rank, the reload', () => {
  const page = pageOf(failed())
  const [first, second] = all(page, 'article')
  assert.equal(all(page, 'article').length, 3)
  assert.match(textIn(first ?? page), /Window 1: 1 of 1 failed in 0 to 40 ms/)
  assert.match(textIn(first ?? page), /most likely reload of lb-2; also possible: w-3, reboot/)
  assert.match(textIn(second ?? page), /15 of 25 failed in 300 to 340 ms/)
  assert.match(textIn(second ?? page), /new connections ?6 of 16 failed .*kept connections ?9 of 9 failed/s)
  assert.match(textIn(second ?? page), /connect ECONNREFUSED 10\.0\.0\.9:443/)
  assert.match(textIn(second ?? page), /served before by cp-2, after by cp-3/)
  assert.match(textIn(second ?? page), /1\. cp-1, attach; 2\. cp-1, settle/)
})

test('what a control excuses is reported in the verdict, beside its stop rule and on the cards', () => {
  const page = pageOf(reportDocument({ events: excusedRun() }))
  assert.match(textIn(byId(page, 'verdict')), /Not counted ?13 failed while a control target failed too/)
  assert.match(textIn(byId(page, 'rules')), /2 \(and 13 with a control that failed too\)/)
  const [all9, most] = all(page, 'article')
  assert.match(textIn(all9 ?? page), /counted ?no: a control target did not answer either, so the prober is the cause/)
  assert.match(textIn(most ?? page), /counted ?2 of 6: a control target did not answer either while the others failed/)
})

test('a card begins with the state that the balancers had then', () => {
  const [first] = all(pageOf(failed()), 'article')
  const names = elementsOf(first ?? htmlTree('')).filter(({ attributes }) => attributes.class === 'name')
  assert.deepEqual(names.map(textIn), [
    'from the first failure',
    'w-3',
    'web on lb-1: DRAIN',
    'web on lb-2: DRAIN',
    'failed, new connections',
  ])
})

test('a stop rule stands beside its limit, and says where it was reached', () => {
  const rows = all(byId(pageOf(failed()), 'rules'), 'tr').map((row) => all(row, 'td').map(textIn))
  assert.deepEqual(rows.slice(1, 3), [
    ['77', '0', 'limit reached'],
    ['1 min 10 s (w-2)', '10 min', 'ok'],
  ])
})

test('what was not measured is said, and drawn', () => {
  const page = pageOf(failed())
  const limits = textIn(byId(page, 'measurement'))
  assert.match(limits, /The prober was late for 3 requests\. It did not send them, and they do not count as good\./)
  assert.match(limits, /For 2\.4 s between 06:19:14Z and 06:19:19Z nothing was measured\./)
  const gaps = elementsOf(page).filter(({ attributes }) => attributes['data-kind'] === 'gap')
  assert.equal(gaps.length, 2)
})

test('every mark of the drawing says all it knows without a tooltip, and no fact is in a title', () => {
  const page = pageOf(failed())
  const marks = elementsOf(byId(page, 'drawing')).filter(({ attributes }) => attributes.class === 'mark')
  assert.ok(marks.length > 60)
  assert.ok(marks.every(({ attributes }) => (attributes['aria-label'] ?? '').length > 10))
  assert.equal(elementsOf(page).filter(({ attributes }) => 'title' in attributes).length, 0)
  assert.equal(all(page, 'title').length, 1)
  const hold = marks.find(({ attributes }) => attributes['aria-label']?.includes('held 1 min 10 s'))
  assert.match(
    hold?.attributes['aria-label'] ?? '',
    /^w-2, drain\n06:18:12Z to 06:20:24Z, 3:33 to 5:45 after the start, 2 min 12 s\n/,
  )
  assert.match(textIn(byId(page, 'nodes')), /held 1 min 10 s from 06:18:33Z: shop\/cart-0 cannot be evicted now/)
})

test('a balancer band tells what its server was before, when it was told otherwise, and what a reload lost', () => {
  const marks = elementsOf(byId(pageOf(failed()), 'drawing')).filter(
    ({ attributes }) => attributes['data-kind'] === 'band',
  )
  const labels = marks
    .map(({ attributes }) => attributes['aria-label'] ?? '')
    .filter((text) => text.startsWith('w-3, web on lb-2'))
  assert.equal(labels.length, 3)
  assert.match(labels[0] ?? '', /ready: gets its share/)
  assert.match(labels[1] ?? '', /DRAIN: no new traffic; .*\nset again after a reload had lost it: 06:23:37\.51Z/)
  assert.match(labels[2] ?? '', /ready/)
})

test('law: no failure is dropped from a report; where the drawing is too small, neighbours are one mark with a count', () => {
  const marks = elementsOf(byId(pageOf(failed()), 'drawing')).filter(
    ({ attributes }) => attributes['data-kind'] === 'failure',
  )
  assert.deepEqual(
    marks.map(({ attributes }) => attributes['data-windows']),
    ['1', '2 3', '2'],
  )
  assert.match(textIn(marks[1] ?? htmlTree('')), /2 windows, 67 of 221/)
})

test('secrets of the roll file are not on the page', () => {
  const html = htmlReport(failed())
  assert.doesNotMatch(html, /hunter2|s3cret|monitor:|\/home\/operator|admin\.sock/)
  assert.match(html, /https:\/\/app\.example\.com\/health\?…/)
})

test('above 40 nodes those that ended alike fold, and nodes that held or strayed stand open', () => {
  const page = pageOf(reportDocument({ events: longRun() }))
  const folds = elementsOf(page).filter(({ attributes }) => attributes.class === 'fold')
  assert.deepEqual(
    folds.map((fold) => textIn(all(fold, 'summary')[0] ?? fold).split(',')[0]),
    ['12 nodes', '16 nodes', '10 nodes', '19 nodes'],
  )
  assert.ok(all(page, 'details').every(({ attributes }) => 'open' in attributes))
})

test('details are open, controls are hidden: without script nothing is missing and nothing is dead', () => {
  const page = pageOf(failed())
  assert.ok(all(page, 'details').every(({ attributes }) => 'open' in attributes))
  const controls = elementsOf(page).filter(({ tag }) => tag === 'button' || tag === 'input')
  const hidden = elementsOf(page)
    .filter(({ attributes }) => 'hidden' in attributes)
    .flatMap(elementsOf)
  assert.deepEqual(
    controls.filter((control) => !hidden.includes(control)),
    [],
  )
})

test('headings go down one by one, tables have captions and scopes', () => {
  const page = pageOf(failed())
  const levels = elementsOf(page).flatMap(({ tag }) => (/^h[1-6]$/.test(tag) ? [Number(tag.slice(1))] : []))
  assert.ok(levels.every((level, index) => index === 0 || level <= (levels[index - 1] ?? 0) + 1))
  for (const table of all(page, 'table')) {
    assert.equal(all(table, 'caption').length, 1)
    assert.ok(all(table, 'th').every(({ attributes }) => 'scope' in attributes))
  }
})

test('the page is as small as it is said to be', () => {
  const shell = Buffer.byteLength(htmlReport(reportDocument({ events: cleanRun().slice(0, 3) })))
  assert.ok(shell < 120_000, `the shell has ${shell} bytes`)
  const { bytes } = fittedReport(failed())
  assert.ok(bytes < 400_000, `half an hour has ${bytes} bytes`)
  const long = fittedReport(reportDocument({ events: longRun() }))
  assert.ok(long.bytes < 2_000_000 && long.warning === undefined, `sixty nodes have ${long.bytes} bytes`)
})

test('law: no failure is dropped from a report; a page that is too large gives up seconds, then the names of pods, never windows, steps or reasons, and says so', () => {
  const report = failed()
  const whole = fittedReport(report).bytes
  const slower = fittedReport(report, { warnBytes: 1_000, mostBytes: whole - 100 })
  assert.match(slower.html, /Load and latency are given per 10 s/)
  assert.match(slower.html, /shop\/api-7c9d5f0/)
  assert.match(slower.warning ?? '', /^the page has 0\.\d MB/)
  const least = fittedReport(report, { warnBytes: 1_000, mostBytes: 1_000 })
  assert.ok(least.bytes < slower.bytes)
  assert.match(least.html, /per 60 s/)
  assert.doesNotMatch(least.html, /shop\/api-7c9d5f0/)
  assert.match(least.html, /budget shop\/cart needs 2 healthy pods/)
  assert.equal(all(htmlTree(least.html), 'article').length, 3)
})

test('how the waits for load balancers ended that have nothing but checks stands with the step of the node', () => {
  const text = textIn(byId(pageOf(reportDocument({ events: checkedRun() })), 'nodes'))
  assert.match(text, /load balancers have noticed after 6 s: each source was refused as often as it takes/)
  assert.match(text, /its last connection ended 2 s later/)
})

test('which nodes needed a reboot and which were skipped stands beside the evidence, as text', () => {
  const why = 'needs no reboot: no /var/run/reboot-required'
  const skipped = ['w-8', '<img src=x>'].map((node) => ({ node, why }))
  const needed = [{ node: 'w-1', why: 'osImage is A, and B is wanted' }]
  const [first, ...others] = cleanRun()
  assert.ok(first)
  const chosen = { ...first, type: 'nodes.chosen', needed, skipped } as const
  const text = textIn(byId(pageOf(reportDocument({ events: [first, chosen, ...others] })), 'evidence'))
  assert.match(text, /needed\s*w-1: osImage is A, and B is wanted/)
  assert.match(text, /skipped\s*w-8, <img src=x>: needs no reboot: no \/var\/run\/reboot-required/)
})
