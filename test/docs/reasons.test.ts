import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import ts from 'typescript'
import { CAUSES } from '../../src/dns/decide/causes.ts'
import { REASONS } from '../../src/ground/model/reasons/catalogue.ts'

/** Every code that the TypeScript files of a folder give a reason or a finding, ordered. */
function reasonCodes(folder: string): readonly string[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: root, exclude: ['src/**/io/**'] })
  return [...new Set(files.flatMap((file) => codesIn(readFileSync(`${root}${file}`, 'utf8'))))].toSorted()
}

/** What stands behind `code:`, and what is handed to a function of the same file as its parameter `code`. */
function codesIn(text: string): readonly string[] {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const takers = new Map<string, number>()
  walk(source, (node) => {
    const name = ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node) ? node.name : undefined
    const taker = ts.isVariableDeclaration(node) ? node.initializer : node
    if (name === undefined || !ts.isIdentifier(name) || taker === undefined) return
    if (!ts.isArrowFunction(taker) && !ts.isFunctionDeclaration(taker)) return
    const at = taker.parameters.findIndex((parameter) => isCode(parameter.name))
    if (at >= 0) takers.set(name.text, at)
  })
  const codes: string[] = []
  walk(source, (node) => {
    if (ts.isPropertyAssignment(node) && isCode(node.name) && !isOfField(node.parent))
      codes.push(...literals(node.initializer))
    if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return
    if (node.arguments.some(isOfField)) return
    const handed = node.arguments[takers.get(node.expression.text) ?? -1]
    if (handed !== undefined) codes.push(...literals(handed))
  })
  return codes
}

/** What is wrong with a field of an object is said by the field and a sentence; nobody is shown its code. */
const isOfField = (node: ts.Node): boolean =>
  ts.isObjectLiteralExpression(node) &&
  node.properties.some(({ name }) => name !== undefined && ts.isIdentifier(name) && name.text === 'field')

const isCode = (name: ts.Node): boolean => ts.isIdentifier(name) && name.text === 'code'

/** `'A'`, or `condition ? 'A' : 'B'`. */
function literals(node: ts.Expression): readonly string[] {
  if (ts.isStringLiteral(node)) return [node.text]
  return ts.isConditionalExpression(node) ? [...literals(node.whenTrue), ...literals(node.whenFalse)] : []
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}

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
