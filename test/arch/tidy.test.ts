import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'

const root = new URL('../..', import.meta.url).pathname

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !file.includes('/fixtures/'))
  .map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }))

const code = files.filter(({ path }) => /^(src|bin|testbed|bench)\//.test(path))
const source = files.filter(({ path }) => path.startsWith('src/'))

/** Where a clock, a random number, the environment or the console is at hand without being passed in. */
const AMBIENT: readonly (readonly [banned: RegExp, instead: string])[] = [
  [/\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/, 'a Clock'],
  [/\bsetTimeout\(|\bsetInterval\(|\bsetImmediate\(/, 'Clock.sleep'],
  [/\bMath\.random\(|\brandomUUID\(|\brandomBytes\(/, 'a Random'],
  [/\bprocess\.(env|argv|exit|stdout|stderr|on)\b/, 'what bin hands in'],
  [/\bconsole\.\w+\(/, 'a Log, or a sink that bin hands in'],
]

const isComment = (line: string): boolean => /^\s*(\/\/|\*|\/\*)/.test(line)

function matches(wanted: RegExp, where: readonly { path: string; text: string }[]): readonly string[] {
  return where.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) => (!isComment(line) && wanted.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
  )
}

for (const [banned, instead] of AMBIENT) {
  test(`no ${banned.source} but in adapters/node: take ${instead}`, () => {
    assert.deepEqual(
      matches(
        banned,
        source.filter(({ path }) => !path.startsWith('src/adapters/node/')),
      ),
      [],
    )
  })
}

test('core is synchronous', () => {
  assert.deepEqual(
    matches(
      /\basync\b|\bawait\b|\bPromise\b/,
      source.filter(({ path }) => path.startsWith('src/core/')),
    ),
    [],
  )
})

test('no file is longer than 300 lines', () => {
  assert.deepEqual(
    files.filter(({ text }) => text.split('\n').length > 301).map(({ path }) => path),
    [],
  )
})

test('the median file is short', () => {
  const lengths = source.map(({ text }) => text.split('\n').length).toSorted((a, b) => a - b)
  assert.ok((lengths[Math.floor(lengths.length / 2)] ?? 0) <= 90)
})

test('files are named for the one thing they export, in kebab-case', () => {
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
  assert.deepEqual(matches(/\b(test|it|describe)\.(skip|only|todo)\(/, files), [])
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
  assert.deepEqual(
    matches(
      /await (sleep|delay|setTimeout)\(\s*\d/,
      files.filter(({ path }) => !path.endsWith('tidy.test.ts')),
    ),
    [],
  )
})
