import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CAUSES } from '../../src/dns/decide/causes.ts'
import { REASONS } from '../../src/ground/model/reasons/catalogue.ts'
import { codesIn, reasonCodes } from './reason-codes.ts'

const root = new URL('../..', import.meta.url).pathname
const page = readFileSync(`${root}docs/errors.md`, 'utf8')

/** In backquotes by itself: `NodeUnbalanced`, `journal.in-use`, `HOST_KEY`; reasons and what DNS may be ill of are in catalogues. */
const documented = new Set([
  ...(page.match(/(?<=`)[A-Za-z]+([._-][A-Za-z]+)*(?=`)/g) ?? []),
  ...Object.keys(REASONS),
  ...Object.keys(CAUSES),
])

// What speaks a protocol has codes of transport, which are handed on as they are.
for (const folder of ['src/*/{decide,run,probe,holds}', 'src/service/actuators', 'src/ground/loop', 'bin']) {
  test(`every code of ${folder} is in docs/errors.md or in a catalogue`, () => {
    assert.deepEqual(
      reasonCodes(folder).filter((code) => !documented.has(code)),
      [],
    )
  })
}

test('every code in docs/errors.md is one that the source says', () => {
  const source = globSync('{src,bin}/**/*.ts', { cwd: root })
    .map((file) => readFileSync(`${root}${file}`, 'utf8'))
    .join('\n')
  const rows = [...page.matchAll(/^\| `([^`]+)` *\|/gm)].map(([, code = '']) => code)
  assert.ok(rows.length > 80, `${rows.length} rows were looked at`)
  const keyOrText = (code: string): boolean => source.includes(`'${code}'`) || source.includes(`${code}:`)
  assert.deepEqual(
    rows.filter((code) => !keyOrText(code)),
    [],
  )
})

test('no code stands in two tables', () => {
  const rows = [...page.matchAll(/^\| `([^`]+)` *\|/gm)].map(([, code]) => code)
  assert.deepEqual(
    rows.filter((code, i) => rows.indexOf(code) !== i),
    [],
  )
})

test('a code is found where it is written, chosen or handed to a function', () => {
  const text = `
    const error = (node: string, code: string): object => ({ node, code })
    export function found(node: string, never: boolean): readonly object[] {
      return [{ code: 'Written' }, { code: never ? 'Never' : 'NotNow' }, error(node, 'Handed')]
    }`
  assert.deepEqual([...codesIn(text)].toSorted(), ['Handed', 'Never', 'NotNow', 'Written'])
})
