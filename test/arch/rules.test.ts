import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'
import * as guards from '../../src/roll/decide/guards.ts'
import { jobName, jobOf } from '../support/virtual-roll/jobs/job-name.ts'
import { codeRules, withSwitches } from '../support/virtual-roll/mutations/rules/code-rules.ts'
import { ruledFiles } from '../support/virtual-roll/mutations/rules/rules-of-tree.ts'
import { rowsOf } from '../support/virtual-roll/mutations/rules/rules-page.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const files = ruledFiles()
const ids = files.flatMap(({ rules }) => rules.map(({ id }) => id))
const rows = rowsOf(readFileSync(new URL('../../docs/internals/rules.md', import.meta.url), 'utf8'))

test('each guard, and each part of a step of a node or machine, is a rule that can be taken away', async () => {
  const exported = Object.keys(guards).map((name) => `roll/decide/guards ${name}`)
  const modules = globSync('src/roll/decide/{steps,pair}/*.ts', { cwd: ROOT })
  const parts = modules.map(async (file) =>
    Object.entries(await import(`../../${file}`)).flatMap(([name, step]) =>
      partsOf(step).map((part) => idOf(file, name, part)),
    ),
  )
  const known = new Set(ids)
  const all = [...exported, ...(await Promise.all(parts)).flat()]
  assert.ok(all.includes('roll/decide/steps/reboot reboot.limit') && all.includes('roll/decide/pair/leave detach.next'))
  assert.deepEqual(
    all.filter((id) => !known.has(id)),
    [],
  )
})

/** What a step has beside its name. */
const partsOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null && 'step' in value && 'next' in value
    ? Object.keys(value).filter((part) => part !== 'step')
    : []

const idOf = (file: string, name: string, part: string): string =>
  `${file.replace(/^src\//, '').replace(/\.ts$/, '')} ${name}.${part}`

test('a new guard, step, refusal and limit are rules without any further line', () => {
  const text = `
    const WAIT_MS = 5_000
    export const isWell: Guard<NodeSnapshot> = (s) => (s.now < WAIT_MS ? [] : [reason])
    export const wait: StepRule = {
      step: 'wait',
      next(s) {
        if (isBusy(s)) return hold([reason])
        return done
      },
      limit: (s) => verdictOf(s),
    }
    function against(s: NodeSnapshot): readonly Reason[] {
      return []
    }`
  const rules = codeRules('src/roll/decide/steps/wait.ts', text)
  assert.deepEqual(
    rules.map(({ id }) => id),
    [
      'roll/decide/steps/wait WAIT_MS',
      'roll/decide/steps/wait isWell',
      'roll/decide/steps/wait wait.next',
      'roll/decide/steps/wait wait.limit',
      'roll/decide/steps/wait wait: isBusy(s)',
      'roll/decide/steps/wait against',
    ],
  )
  assert.doesNotThrow(() => stripTypeScriptTypes(withSwitches(text, rules, 'switch.ts')))
})

test('every rule of the code can be switched off where it stands', () => {
  for (const { file, text, rules } of files)
    assert.doesNotThrow(() => stripTypeScriptTypes(withSwitches(text, rules, 'switch.ts')), file)
})

test('docs/internals/rules.md has a row for each guard, step and limit; npm run mutations -- rules --new writes it', () => {
  const named = files.flatMap(({ rules }) => rules.filter(({ kind }) => kind !== 'condition').map(({ id }) => id))
  assert.deepEqual(
    named.filter((id) => !rows.has(id)),
    [],
  )
})

test('a world is found again by the name that it has in the table', () => {
  const names = [...rows.values()].flatMap(({ by, in: where }) =>
    where === undefined || by === 'a test' || by === '**nobody**' ? [] : [where],
  )
  const all = [...names, 'crash polite abort after 3', 'crash before 1, after 9', 'crash hooks none', 'seed 12']
  assert.deepEqual(
    all.map((name) => {
      const job = jobOf(name)
      return job && jobName(job)
    }),
    all,
  )
})

test('a rule that no world sees has a note that says why', () => {
  const silent = [...rows].filter(([, { by, note }]) => by === '**nobody**' && note === '')
  assert.deepEqual(silent, [])
})
