import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { metricNames, pagesOfAll } from '../support/metric-names.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const page = read('docs/metrics.md')
const { roll } = pagesOfAll()

test('the page lists each metric of a roll once, with its type and what its help says', () => {
  const rows = [...page.matchAll(/^\| `(evenkeel_roll_\w+)` \| (\w+) \| (?:`[^|]*`)? ?\| (.+) \|$/gm)].map(
    ([, name, type, meaning]) => `${name} ${type} ${meaning}`,
  )
  const written = metricNames(roll).map((name) => {
    const [, type] = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(roll) ?? []
    const [, help = ''] = new RegExp(`^# HELP ${name} (.+)\\.$`, 'm').exec(roll) ?? []
    return `${name} ${type} ${help}`
  })
  assert.deepEqual(rows, written)
})

test('the example of the page has the families of a real page, in their order', () => {
  const [, example = ''] = /```text\n(.*?)```/s.exec(page) ?? []
  const names = [...new Set([...example.matchAll(/^(evenkeel_roll_\w+)/gm)].map(([, name = '']) => name))]
  assert.ok(names.length > 10)
  assert.deepEqual(
    names,
    metricNames(roll).filter((name) => names.includes(name)),
  )
})

test('the page lists each alert of the rule file', () => {
  const { groups } = parse(read('deploy/prometheus/evenkeel-rules.yaml')) as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[]
  }
  assert.deepEqual(
    [...page.matchAll(/^\| `(EvenKeel\w+)` \|/gm)].map(([, alert]) => alert),
    groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)),
  )
})
