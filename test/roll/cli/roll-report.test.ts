import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedRun } from '../../support/report-runs/report-runs.ts'
import { ended, evenkeel, ScriptedActions } from './scripted-roll.ts'

/** A journal that tells the failed run. */
class FailedRun extends ScriptedActions {
  constructor() {
    super(ended('completed', 0))
  }

  override history = (request: { readonly run?: string }) =>
    Promise.resolve({
      run: request.run ?? 'r',
      events: [...failedRun()],
      running: false,
      journal: '/state/r',
      tool: '0.1.0',
    })
}

test('--html writes the page beside what is printed', async () => {
  const { code, out, err, opened } = await evenkeel('roll report --html report.html', new FailedRun())
  assert.equal(code, 0)
  assert.match(out, /^STOPPED {2}after 3 of 8 nodes/)
  assert.equal(err, 'wrote report.html\n')
  const page = opened.get('report.html')?.text ?? ''
  assert.match(page, /^<!doctype html>\n<html lang="en">/)
  assert.match(page, /evenkeel 0\.1\.0/)
  assert.ok(page.endsWith('</html>\n'))
})

test('a page that the disk does not take whole is said, with exit 1', async () => {
  const { code, err } = await evenkeel('roll report --html report.html', new FailedRun(), { diskFull: true })
  assert.equal(code, 1)
  assert.match(err, /report\.html is not whole: no space left on device/)
})

test('-o markdown prints the report as Markdown', async () => {
  const { code, out } = await evenkeel('roll report -o markdown', new FailedRun())
  assert.equal(code, 0)
  assert.match(out, /^# STOPPED after 3 of 8 nodes in 12 min 59 s/)
})

test('-o json prints the data of the page, and what the roll itself printed is in it', async () => {
  const { out, opened } = await evenkeel('roll report -o json --html page.html', new FailedRun())
  const document = JSON.parse(out)
  assert.equal(document.outcome, 'stopped')
  assert.equal(document.failedRequests, 77)
  assert.equal(document.run, '20261121T061439Z-1f0e')
  const page = opened.get('page.html')?.text ?? ''
  const data = /<script type="application\/json" id="data">(.*)<\/script>/.exec(page)?.[1] ?? ''
  assert.deepEqual(JSON.parse(data), document)
})

test('-o otlp prints one line: a request that a collector takes as it is', async () => {
  const { code, out } = await evenkeel('roll report -o otlp', new FailedRun())
  assert.equal(code, 0)
  assert.equal(out.trimEnd().split('\n').length, 1)
  assert.equal(JSON.parse(out).resourceSpans[0].scopeSpans[0].spans[0].name, 'roll')
})

test('status has no page and no Markdown', async () => {
  const { code, err } = await evenkeel('roll status -o markdown', new FailedRun())
  assert.equal(code, 2)
  assert.match(err, /Allowed choices are text, json, jsonl/)
})

test('--compare shows two runs side by side, and writes them as one page', async () => {
  const asked = `roll report --compare 20261120T060000Z-77aa 20261121T061439Z-1f0e --html compared.html`
  const { code, out, err, opened } = await evenkeel(asked, new FailedRun())
  assert.equal(code, 0)
  assert.match(out, /^Figures\n/)
  assert.match(out, /^ {2}Verdict +STOPPED +STOPPED$/m)
  assert.equal(err, 'wrote compared.html\n')
  assert.match(opened.get('compared.html')?.text ?? '', /Both runs have the same axes/)
})

for (const [asked, problem] of [
  ['roll report --compare r1', /--compare needs two runs, not 1 .*fix: name both runs/s],
  ['roll report --compare r1 r2 r3', /--compare needs two runs, not 3/],
  ['roll report --compare r1 r2 -o jsonl', /-o jsonl prints the events of one run/],
  ['roll report --compare r1 r2 -o otlp', /-o otlp prints the spans of one run/],
  ['roll report r1 r2', /2 runs are named; a report is of one run .*fix: name one run, or add --compare for two/s],
] as const) {
  test(`${asked} is wrong usage`, async () => {
    const { code, err } = await evenkeel(asked, new FailedRun())
    assert.equal(code, 2)
    assert.match(err, problem)
  })
}
