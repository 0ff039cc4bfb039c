import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { root } from '../support/repository-files.ts'
import { startsShipped } from '../support/runner/starts-shipped.ts'

test('a file that is asked for by its path runs alone, without a check before it', async () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const words = ['test/run.ts', './test/runner/unless-void.test.ts']
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env })
  assert.match(stdout, /^✔ a void run is named, and made once more/m)
  assert.match(stdout, /\n4 passed, 0 failed, 0 skipped\n$/)
  assert.doesNotMatch(stdout, /^types:/m)
})

test('the shipped program is built for files that start it, by themselves or through what they import', () => {
  const starts = (...files: readonly string[]): boolean => startsShipped(files, root)
  assert.equal(starts('test/docs/links.test.ts'), true)
  assert.equal(starts('test/roll/decide/decide.test.ts', 'test/bin/roll-metrics.test.ts'), true)
  assert.equal(starts('test/roll/decide/decide.test.ts'), false)
})
