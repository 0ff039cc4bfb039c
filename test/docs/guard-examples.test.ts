import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { Untrusted } from '../../src/ground/model/untrusted.ts'
import { NODE_GUARDS, validateGuard } from '../../src/guard/decide/guard-kind.ts'
import { PAGE_SCENE } from '../guard/cli/page-scene.ts'
import { ScriptedGuard } from '../guard/cli/scripted-guard.ts'
import { pages } from './pages.ts'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

const SHIPPED = [
  ['deploy/examples/node-guard.yaml', 'PerNode', ['volumes']],
  ['deploy/examples/node-guard-budget.yaml', 'Budget', []],
] as const

for (const [file, mode, holds] of SHIPPED) {
  test(`the NodeGuard of ${file} is one that the API takes`, () => {
    const object = parse(read(file))
    assert.deepEqual(validateGuard(object), [])
    const metadata = { ...object.metadata, namespace: 'data', uid: 'u1', resourceVersion: '1' }
    const { spec } = NODE_GUARDS.parse(new Untrusted({ ...object, metadata }, file))
    assert.deepEqual([spec.mode, spec.holds.map(({ name }) => name)], [mode, holds])
  })
}

test('every NodeGuard that a page shows is one that the API takes', () => {
  const shown = pages().flatMap(({ path, text }) =>
    [...text.matchAll(/```yaml\n(.*?)```/gs)]
      .map(([, yaml = '']) => ({ path, yaml }))
      .filter(({ yaml }) => yaml.includes('kind: NodeGuard')),
  )
  assert.ok(shown.length >= 2)
  for (const { path, yaml } of shown) assert.deepEqual(validateGuard(parse(yaml)), [], path)
})

test('the first example of the page says of nodes and holds what the shipped one says', () => {
  const [, text = ''] = read('docs/guard.md').match(/## A first NodeGuard\n\n```yaml\n([\s\S]*?)```/) ?? []
  const [onPage, shipped] = [parse(text), parse(read('deploy/examples/node-guard.yaml'))]
  assert.deepEqual(
    [onPage.metadata, onPage.spec.follow, onPage.spec.holds],
    [shipped.metadata, shipped.spec.follow, shipped.spec.holds],
  )
})

test('what the page shows of the commands is what they print', async () => {
  const page = read('docs/guard.md')
  const of = 'nodeguard/storage'
  for (const line of [
    'status',
    `status ${of}`,
    `explain ${of} --node n1`,
    `release ${of} --node n1 --for 10min --yes`,
  ]) {
    const { out } = await new ScriptedGuard(PAGE_SCENE).run(line)
    assert.ok(page.includes(`\`\`\`text\n${out}\`\`\``), out)
  }
})
