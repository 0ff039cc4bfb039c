import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { REASON_SECTIONS, REASONS } from '../../../../src/ground/model/reasons/catalogue.ts'
import { troubleshootingPage } from '../../../../src/ground/model/reasons/troubleshooting-page.ts'

const root = new URL('../../../..', import.meta.url).pathname

/** All of the source but the catalogue itself. */
const source = globSync('{src,bin}/**/*.ts', { cwd: root })
  .filter((file) => !file.startsWith('src/ground/model/reasons/'))
  .map((file) => readFileSync(`${root}${file}`, 'utf8'))
  .join('\n')

const listed = REASON_SECTIONS.flatMap(({ entries }) => Object.keys(entries))

test('every reason of the catalogue is one that the source says', () => {
  assert.ok(listed.length > 100, `${listed.length} reasons were looked at`)
  assert.deepEqual(
    listed.filter((code) => !source.includes(`'${code}'`)),
    [],
  )
})

test('every reason stands in one section, and in no second one', () => {
  assert.deepEqual(listed.toSorted(), Object.keys(REASONS).toSorted())
})

test('every reason that is no mere reason to act has a cause and a cure, in sentences', () => {
  const isSentence = (text: string): boolean => /^[A-Z[`0-9].*[.`]$/s.test(text)
  assert.deepEqual(
    REASON_SECTIONS.filter(({ title }) => title !== 'Reasons to act').flatMap(({ entries }) =>
      Object.entries(entries).filter(([, { cause, cure }]) => !isSentence(cause) || !isSentence(cure)),
    ),
    [],
  )
})

test('the page of troubleshooting is what the catalogue says', () => {
  const page = readFileSync(`${root}docs/troubleshooting.md`, 'utf8')
  assert.ok(page === troubleshootingPage(), 'docs/troubleshooting.md is old: npm run docs')
})
