import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparePage } from '../../../src/roll/report/compare/compare-page.ts'
import { compareLines, compareMarkdown } from '../../../src/roll/report/compare/compare-text.ts'
import { elementsOf, htmlTree, textIn } from '../../support/html-tree.ts'
import { measured } from '../../support/report-runs/report-pages.ts'
import { cleanRun, failedRun, hostileRun } from '../../support/report-runs/report-runs.ts'

const pair = () => [measured(cleanRun()), measured(failedRun())] as const

test('two runs stand side by side: verdict, time, failures, latency, each node, each step', () => {
  const text = compareLines(pair()).join('\n')
  assert.match(text, /^ {2}Verdict +DONE +STOPPED$/m)
  assert.match(text, /^ {2}Time +10 min 15 s +12 min 59 s +\+2 min 44 s$/m)
  assert.match(text, /^ {2}Failed requests +0 failed of 60,500 +77 failed of 76,500$/m)
  assert.match(text, /^ {2}w-2 +3:22 +4:12 +\+0:50$/m)
  assert.match(text, /^ {2}w-3 +- +3:02$/m)
  assert.match(text, /^ {2}reboot +0:34 +0:34 +same$/m)
})

test('both drawings have one axis of time and one of latency', () => {
  const page = htmlTree(comparePage(pair()))
  const axes = elementsOf(page).filter(({ attributes }) => attributes.class === 'row axis')
  assert.equal(axes.length, 2)
  assert.deepEqual(textIn(axes[0] ?? page), textIn(axes[1] ?? page))
  const scales = elementsOf(page)
    .filter(({ attributes }) => attributes.class === 'row chart')
    .map((row) =>
      elementsOf(row)
        .filter(({ tag, attributes }) => tag === 'text' && attributes['font-size'] === '10')
        .map(textIn),
    )
    .filter((texts) => texts.length > 0)
  assert.equal(scales.length, 2)
  assert.deepEqual(scales[0], scales[1])
})

test('law: the page of a report loads nothing and runs no script but its own; a comparison runs none', () => {
  const page = htmlTree(comparePage([measured(hostileRun()), measured(cleanRun())]))
  const scripts = elementsOf(page).filter(({ tag }) => tag === 'script')
  assert.deepEqual(
    scripts.map(({ attributes }) => attributes.type),
    ['application/json'],
  )
  assert.doesNotMatch(compareMarkdown([measured(hostileRun()), measured(cleanRun())]), /(?<!\\)[<>[\]`@]/)
})
