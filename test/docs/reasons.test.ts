import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { codesIn, reasonCodes } from './reason-codes.ts'

const root = new URL('../..', import.meta.url).pathname
const page = readFileSync(`${root}docs/troubleshooting.md`, 'utf8')

const dnsCauses = readFileSync(`${root}docs/dns-causes.md`, 'utf8')

/** In backquotes by itself: `NotProven`, `journal.in-use`, `HOST_KEY`; what DNS may be ill of has a heading each. */
const documented = new Set([
  ...(page.match(/(?<=`)[A-Za-z]+([._-][A-Za-z]+)*(?=`)/g) ?? []),
  ...(dnsCauses.match(/(?<=^## )[A-Za-z]+$/gm) ?? []),
])

for (const folder of ['src/core', 'src/controllers', 'bin']) {
  test(`every code of ${folder} is in docs/troubleshooting.md`, () => {
    assert.deepEqual(
      reasonCodes(folder).filter((code) => !documented.has(code)),
      [],
    )
  })
}

test('every code in docs/troubleshooting.md is one that the source says', () => {
  const source = globSync('{src,bin}/**/*.ts', { cwd: root })
    .map((file) => readFileSync(`${root}${file}`, 'utf8'))
    .join('\n')
  const rows = [...page.matchAll(/^\| `([^`]+)` *\|/gm)].map(([, code = '']) => code)
  const listed = (page.split('## Reasons to act')[1] ?? '').match(/(?<=`)[A-Z][A-Za-z]+(?=`)/g) ?? []
  assert.ok(rows.length > 80, `${rows.length} rows were looked at`)
  const keyOrText = (code: string): boolean => source.includes(`'${code}'`) || source.includes(`${code}:`)
  assert.deepEqual(
    [...rows, ...listed].filter((code) => !keyOrText(code)),
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
