import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { lawsIn, lawsOf, lawTitlesIn } from '../../bin/docs/laws.ts'
import { lawsPage } from '../../bin/docs/laws-page.ts'
import { readLaws } from '../../bin/docs/read-laws.ts'
import { root } from '../support/repository-files.ts'

const { laws, unstated } = readLaws()

test('the page of laws is what modules and tests say', () => {
  const page = readFileSync(`${root}docs/internals/laws.md`, 'utf8')
  assert.ok(page === lawsPage(laws), 'run: npm run docs')
})

test('every law has a test, and one module states it', () => {
  assert.ok(laws.length >= 10, `${laws.length} laws`)
  assert.deepEqual(
    laws.filter(({ tests }) => tests.length === 0).map(({ law }) => law),
    [],
  )
  assert.deepEqual(
    laws.filter(({ modules }) => modules.length !== 1).map(({ law, modules }) => `${law}: ${modules.join(', ')}`),
    [],
  )
})

test('no test names a law that no module states', () => {
  assert.deepEqual(
    unstated.map(({ file, law }) => `${file}: ${law}`),
    [],
  )
})

const MODULE = `
/** Law: nothing is lost. */
const one = 1

/**
 * A queue. No law here: it is in the middle of a line. Law: neither is this.
 *
 * Law: a key that is added is worked on, by one
 * worker at most. More of it follows.
 * Law: Retry-After is honoured.
 */
export class Queue {}
// Law: a comment that is no doc comment states nothing.
`

test('a module states its laws in doc comments, each one a sentence at the beginning of a line', () => {
  assert.deepEqual(lawsIn(MODULE), [
    'nothing is lost',
    'a key that is added is worked on, by one worker at most',
    'Retry-After is honoured',
  ])
})

test('a law that does not end, or has a semicolon, is refused', () => {
  assert.throws(() => lawsIn('/** Law: nothing is lost */'), /one sentence without a semicolon: nothing is lost/)
  assert.throws(() => lawsIn('/** Law: nothing; and nobody. */'), /nothing; and nobody/)
})

const TESTS = `
test('law: nothing is lost', () => {})
for (const fault of FAULTS)
  test(\`law: nothing is lost; a reader sees all that was written before \${fault} came, \${JSON.stringify(fault)}\`, requires('ssh'), async () => {})
describe("law: two may act", () => {})
const text = 'law: in no title'
test('a case about law: nothing', () => {})
`

test('a test names a law at the beginning of its title, whole or with the case behind a semicolon', () => {
  assert.deepEqual(lawTitlesIn(TESTS), [
    'law: nothing is lost',
    'law: nothing is lost; a reader sees all that was written before {fault} came, …',
    'law: two may act',
  ])
})

test('each law has the tests that name it, and a test of an unknown law is found', () => {
  const file = 'test/a.test.ts'
  const found = lawsOf(
    [
      { path: 'src/a.ts', text: MODULE },
      { path: 'src/b.ts', text: '/** Law: nothing is lost. */' },
    ],
    [{ path: file, text: TESTS }],
  )
  assert.deepEqual(found.laws[0], {
    law: 'nothing is lost',
    modules: ['src/a.ts', 'src/b.ts'],
    tests: [
      { file, law: 'nothing is lost' },
      { file, law: 'nothing is lost', shows: 'a reader sees all that was written before {fault} came, …' },
    ],
  })
  assert.deepEqual(found.unstated, [{ file, law: 'two may act' }])
})

test('the page has a heading for each law, with its module and its tests', () => {
  const page = lawsPage([
    {
      law: 'nothing is lost',
      modules: ['src/a/b.ts'],
      tests: [{ file: 'test/a.test.ts', law: 'nothing is lost', shows: 'in a crash' }],
    },
  ])
  assert.ok(
    page.endsWith(
      '\n## `src/a`\n\n### Nothing is lost\n\nKept by `src/a/b.ts`. Shown by:\n\n- `test/a.test.ts`: in a crash\n',
    ),
    page,
  )
})
