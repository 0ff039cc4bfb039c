import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'
import { repositoryFiles, root } from '../support/repository-files.ts'

const files = repositoryFiles('ts')
  .filter((file) => !file.includes('/fixtures/'))
  .map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }))

const code = files.filter(({ path }) => /^(src|bin|testbed|bench)\//.test(path))
const source = files.filter(({ path }) => path.startsWith('src/'))

/** Where a clock, a random number, the environment or the console is at hand without being passed in. */
const AMBIENT: readonly (readonly [banned: RegExp, instead: string])[] = [
  [/\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b/, 'a Clock'],
  [/\bset(Timeout|Interval|Immediate)\b|from 'node:timers/, 'Clock.sleep'],
  [/\bMath\.random\b|\brandom(UUID|Bytes|Int|FillSync)\b|\bgetRandomValues\b/, 'a Random'],
  [/\bprocess\.(env|argv|exit|exitCode|std\w+|on|once)\b|\{[^}]*\} from '(node:)?process'/, 'what bin hands in'],
  [/\bconsole\.\w+\(/, 'a Log, or a sink that bin hands in'],
]

/** What has these at hand: adapters for them, and text that programs of other machines run. */
const MAY_BE_AMBIENT = /^src\/(ground\/machine|agent\/io\/file-agent-store|dns\/io\/relay\/scripts)\b/

/** Decisions, the data that they are made of, and the words of each way to move traffic. */
const IS_PURE = /^src\/(?!ground\/model\/until-aborted)[a-z]+\/(model|decide|actuators)\/(?!.*\bio\/)/

const isComment = (line: string): boolean => /^\s*(\/\/|\*|\/\*)/.test(line)

function matches(wanted: RegExp, where: readonly { path: string; text: string }[]): readonly string[] {
  return where.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) => (!isComment(line) && wanted.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
  )
}

for (const [banned, instead] of AMBIENT) {
  test(`no ${banned.source} but in ground/machine: take ${instead}`, () => {
    assert.deepEqual(
      matches(
        banned,
        source.filter(({ path }) => !MAY_BE_AMBIENT.test(path)),
      ),
      [],
    )
  })
}

test('what decides is synchronous', () => {
  assert.deepEqual(
    matches(
      /\basync\b|\bawait\b|\bPromise\b/,
      source.filter(({ path }) => IS_PURE.test(path)),
    ),
    [],
  )
})

test('no file is longer than 300 lines, and no test longer than 600', () => {
  const most = (path: string): number => (path.startsWith('test/') ? 600 : 300)
  assert.deepEqual(
    files.filter(({ path, text }) => text.split('\n').length > most(path) + 1).map(({ path }) => path),
    [],
  )
})

test('the median file is short', () => {
  const lengths = source.map(({ text }) => text.split('\n').length).toSorted((a, b) => a - b)
  assert.ok((lengths[Math.floor(lengths.length / 2)] ?? 0) <= 90)
})

interface Body {
  readonly where: string
  readonly lines: number
  readonly parameters: number
}

/** Every function that has a body, at whatever depth. */
function bodiesIn({ path, text }: { readonly path: string; readonly text: string }): readonly Body[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const lineAt = (at: number): number => tree.getLineAndCharacterOfPosition(at).line + 1
  const bodies: Body[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = lineAt(node.getStart())
      const lines = lineAt(node.end) - first + 1
      bodies.push({ where: `${path}:${first}`, lines, parameters: node.parameters.length })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return bodies
}

test('no function is longer than 50 lines where it decides and 70 elsewhere, or takes more than three parameters', () => {
  const found = code.flatMap((file) => {
    const most = IS_PURE.test(file.path) ? 50 : 70
    return bodiesIn(file).filter(({ lines, parameters }) => lines > most || parameters > 3)
  })
  assert.deepEqual(found, [])
})

test('files have names in kebab-case, and none that says nothing', () => {
  const names = files.map(({ path }) => basename(path))
  assert.deepEqual(
    names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.ts$/.test(name)),
    [],
  )
  assert.deepEqual(
    names.filter((name) => /^(utils?|helpers?|common|types|index|misc|shared)\.ts$/.test(name)),
    [],
  )
})

test('nothing is re-exported wholesale', () => {
  assert.deepEqual(matches(/^export \* /, files), [])
})

test('no check is switched off, no test is left out or runs alone', () => {
  assert.deepEqual(matches(/biome-ignore|@ts-(ignore|expect-error|nocheck)|\bas any\b|: any\b/, code), [])
  assert.deepEqual(
    matches(/\b(test|it|describe)\.(skip|only|todo)\(|\bt\.(skip|todo)\(|\b(skip|only|todo): true\b/, files),
    [],
  )
})

test('no module is mocked', () => {
  assert.deepEqual(
    matches(
      /mock\.module\(|\bjest\b|\bvi\.mock\b/,
      files.filter(({ path }) => !path.endsWith('tidy.test.ts')),
    ),
    [],
  )
})

test('nothing waits for a fixed time', () => {
  const others = files.filter(({ path }) => !path.endsWith('tidy.test.ts'))
  assert.deepEqual(matches(/await (sleep|delay|setTimeout)\(\s*\d/, others), [])
  // A test may let a fault last for a while; what runs at others' may not.
  assert.deepEqual(matches(/\b(sleep|delay|pause)\(\s*[\d_]+\s*[,)]|\bsetTimeout\([^,]*,\s*[\d_]+\s*\)/, code), [])
})

test('what is printed as JSON goes through shownJson, which leaves no control characters', () => {
  const printed = /\b(write|print)\(.*JSON\.stringify|body: `\$\{JSON\.stringify/
  assert.deepEqual(
    matches(
      printed,
      code.filter(({ path }) => !/^(testbed|bench|src\/sim)\//.test(path) && !path.startsWith('bin/build')),
    ),
    [],
  )
})
