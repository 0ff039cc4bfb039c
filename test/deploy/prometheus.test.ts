import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, stringify } from 'yaml'
import { parseDuration } from '../../src/ground/model/duration.ts'
import { metricNames, pagesOfAll } from '../support/metric-names.ts'
import { requires } from '../support/requires.ts'

const real = requires('prometheus')

/** What it prints; an exit code but 0 is an error, with what it prints. */
const promtool = (words: readonly string[], input = ''): string =>
  execFileSync('promtool', words, { input, encoding: 'utf8', stdio: 'pipe' })

const deploy = (path: string): string => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const { groups, ...others } = parse(deploy('prometheus/evenkeel-rules.yaml')) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)

interface Board {
  readonly title: string
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

const board = JSON.parse(deploy('grafana/evenkeel.json')) as Board

const written = new Set(Object.values(pagesOfAll()).flatMap(metricNames))

/** Of kube-state-metrics, which shows what is on the Nodes. */
const OF_OTHERS = ['kube_node_status_condition']

/** Names of metrics in an expression that none of our programs writes. */
const strangers = (expr: string): readonly string[] => {
  if (OF_OTHERS.some((name) => expr.startsWith(name))) return []
  const names = expr.match(/evenkeel_\w+/g) ?? []
  assert.ok(names.length > 0, expr)
  return names.filter((name) => !written.has(name))
}

test('each alert and each panel asks only for metrics that our programs write', () => {
  const exprs = [
    ...rules.map(({ expr }) => expr),
    ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]
  assert.ok(exprs.length > 20)
  assert.deepEqual(exprs.flatMap(strangers), [])
  assert.deepEqual(strangers('evenkeel_roll_nodes > evenkeel_roll_noods'), ['evenkeel_roll_noods'])
})

test(
  'the real promtool reads the rule file, the expressions of the board, and the metrics of each program',
  real,
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'evenkeel-promtool-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const exprs = board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    const recorded = exprs.map((expr, i) => ({ record: `board:e${i}`, expr: expr.replaceAll(/\$__\w+/g, '5m') }))
    const [rulesFile, boardFile] = ['rules.yaml', 'board.yaml'].map((name) => join(folder, name)) as [string, string]
    await writeFile(rulesFile, deploy('prometheus/evenkeel-rules.yaml'))
    await writeFile(boardFile, stringify({ groups: [{ name: 'board', rules: recorded }] }))
    assert.match(promtool(['check', 'rules', rulesFile]), new RegExp(`SUCCESS: ${rules.length} rules found`))
    assert.match(promtool(['check', 'rules', boardFile]), new RegExp(`SUCCESS: ${exprs.length} rules found`))
    for (const page of Object.values(pagesOfAll())) assert.equal(promtool(['check', 'metrics'], page), '')
    assert.throws(() => promtool(['check', 'metrics'], 'evenkeel_roll_nodes one\n'), /parse|expected/)
  },
)

test('the rule file has what promtool check rules asks for', () => {
  assert.deepEqual(others, {})
  assert.equal(new Set(groups.map(({ name }) => name)).size, groups.length)
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const { name, rules: ofGroup, ...rest } of groups) {
    assert.match(name, /^evenkeel-[a-z]+$/)
    assert.ok(ofGroup.length > 0)
    assert.deepEqual(rest, {})
  }
  for (const { alert, expr, for: lasts, labels, annotations, ...rest } of rules) {
    assert.deepEqual(rest, {}, alert)
    assert.match(alert, /^EvenKeel[A-Za-z]+$/)
    assert.ok(lasts === '0m' || 'ms' in parseDuration(lasts.replace(/m$/, 'min')), `${alert}: for ${lasts}`)
    assert.match(labels.severity ?? '', /^(warning|critical)$/, alert)
    assert.deepEqual(Object.keys(annotations), ['summary', 'description'], alert)
    for (const text of Object.values(annotations)) assert.equal(typeof text, 'string', alert)
    assert.equal([...expr].filter((c) => c === '(').length, [...expr].filter((c) => c === ')').length, alert)
  }
})

test('the board names each panel and asks the data source that is chosen', () => {
  assert.equal(board.title, 'Even Keel')
  assert.equal(new Set(board.panels.map(({ id }) => id)).size, board.panels.length)
  for (const { title, targets } of board.panels) {
    assert.ok(title.length > 0)
    assert.ok(targets.length > 0, title)
  }
  const sources = new Set(deploy('grafana/evenkeel.json').match(/(?<="uid": ")\$[^"]*/g))
  assert.deepEqual([...sources], [`\${datasource}`])
})
