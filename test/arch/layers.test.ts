import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const root = new URL('../..', import.meta.url).pathname
const cruiser = `${root}node_modules/dependency-cruiser/bin/dependency-cruiser.mjs`

interface Cruised {
  readonly summary: {
    readonly totalCruised: number
    readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] }
    readonly violations: readonly {
      readonly from: string
      readonly to: string
      readonly rule: { readonly name: string }
    }[]
  }
}

async function cruise(cwd: string, folders: readonly string[]): Promise<Cruised['summary']> {
  const words = [cruiser, '--config', `${root}.dependency-cruiser.mjs`, '--output-type', 'json', ...folders]
  // It exits with the number of violations, and what it found is on its standard output all the same.
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: { readonly stdout: string }) => error,
  )
  return (JSON.parse(stdout) as Cruised).summary
}

test('every import follows the arrows of the layers', async () => {
  const { violations, totalCruised } = await cruise(root, ['src', 'bin', 'testbed'])
  assert.ok(totalCruised > 100, `${totalCruised} files were looked at`)
  assert.deepEqual(
    violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
    [],
  )
})

test('an arrow that is broken is found', async () => {
  const { violations, ruleSetUsed } = await cruise(`${root}test/arch/fixtures/broken`, ['src', 'bin', 'testbed'])
  assert.deepEqual(
    [...new Set(violations.map(({ rule }) => rule.name))].toSorted(),
    ruleSetUsed.forbidden.map(({ name }) => name).toSorted(),
    'the fixture breaks every rule that there is, and each is found',
  )
})
