import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { root } from '../support/repository-files.ts'

const page = readFileSync(`${root}docs/internals/invariants.md`, 'utf8')

/** One paragraph each; a title may be broken over two lines. */
const invariants = page
  .split('\n\n')
  .flatMap((block) => block.split(/^- Invariant: /m).slice(1))
  .map((text) => text.replaceAll(/\s+/g, ' ').trim())

interface Named {
  readonly file: string
  readonly title: string
}

/** `test/a.test.ts` "one title", "another"; `test/b.test.ts` "a third". */
const namedIn = (text: string): readonly Named[] =>
  [...text.matchAll(/`(test\/[^`]+)`((?:[\s,]*"[^"]+")+)/g)].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
  )

test('every invariant names a test that holds it', () => {
  assert.ok(invariants.length > 30, `${invariants.length} invariants`)
  assert.deepEqual(
    invariants.filter((text) => namedIn(text).length === 0),
    [],
  )
})

test('every test that an invariant names is there, under that title', () => {
  const missing = invariants
    .flatMap(namedIn)
    .filter(
      ({ file, title }) => !existsSync(`${root}${file}`) || !readFileSync(`${root}${file}`, 'utf8').includes(title),
    )
  assert.deepEqual(
    missing.map(({ file, title }) => `${file}: ${title}`),
    [],
  )
})
