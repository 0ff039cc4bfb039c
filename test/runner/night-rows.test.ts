import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { repositoryFiles, root } from '../support/repository-files.ts'
import { byDay } from '../support/runner/lanes.ts'

/** The words of `node test/run.ts …` in each part of the night of which that is true. */
function wordsOfTheNight(isMeant: (part: string) => boolean): readonly string[] {
  const parts = readFileSync(`${root}test/nightly.ts`, 'utf8').split('name: ')
  return parts
    .filter(isMeant)
    .flatMap((part) =>
      [...(/argv: \[([^\]]*)\]/.exec(part)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(([, word = '']) => word),
    )
    .filter((word) => word !== 'test/run.ts')
}

const textOf = (file: string): string => readFileSync(`${root}${file}`, 'utf8')
const isOfTheNight = (text: string): boolean => text.includes("/roll-bed/at-night.ts'")

/** The rows of a file may stand in modules that it imports. */
const importedBy = (file: string): readonly string[] =>
  [...textOf(file).matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) => textOf(join(dirname(file), path)))

test('each file with rows for the night is run by a part of it', () => {
  const files = repositoryFiles('ts').filter(
    (file) =>
      /^test\/cluster\/.*\.test\.ts$/.test(file) &&
      [textOf(file), ...importedBy(file)].some((text) => isOfTheNight(text)),
  )
  assert.ok(files.includes('test/cluster/ingress-rollout.test.ts'))
  assert.ok(files.includes('test/cluster/kube-ingress-fields.test.ts'))
  const words = wordsOfTheNight((part) => part.includes("EVERY_TROUBLE: '1'"))
  assert.deepEqual(
    files.filter((file) => !words.some((word) => file.includes(word))),
    [],
  )
})

test('each file that kills at some writes by day kills at all of them in a part of the night', () => {
  const files = repositoryFiles('ts').filter(
    (file) => /^test\/virtual\/.*\.test\.ts$/.test(file) && textOf(file).includes('process.env.CRASH_STRIDE'),
  )
  assert.ok(files.includes('test/virtual/hooks-crash.test.ts'))
  const words = wordsOfTheNight((part) => part.includes("CRASH_STRIDE: '1'"))
  assert.deepEqual(
    files.filter((file) => !words.some((word) => file.includes(word))),
    [],
  )
})

test('each file that is left out by day is run by a part of the night', () => {
  const all = repositoryFiles('ts').filter((file) => file.endsWith('.test.ts'))
  const day = new Set(byDay(all))
  const left = all.filter((file) => !day.has(file))
  assert.ok(left.includes('test/cluster/roll-api-restarts.test.ts'))
  const words = wordsOfTheNight(() => true)
  assert.deepEqual(
    left.filter((file) => !words.some((word) => file.includes(word))),
    [],
  )
})
