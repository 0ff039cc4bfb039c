import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'
import { mutated } from '../support/virtual-roll/mutations/mutation.ts'
import { MUTATIONS } from '../support/virtual-roll/mutations/mutations.ts'

const ROOT = new URL('../..', import.meta.url)
const textOf = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')

for (const mutation of MUTATIONS) {
  test(`the engine that ${mutation.name} can still be made from the sources`, () => {
    for (const [file, text] of mutated(mutation, textOf)) {
      assert.notEqual(text, textOf(file))
      assert.doesNotThrow(() => stripTypeScriptTypes(text), `${file} does not parse`)
    }
  })
}

test('docs/swarm.md says of each mutation by which checker it is seen', () => {
  const [, section = ''] = textOf('docs/swarm.md').split('## Mutations')
  const rows = [...section.matchAll(/^\| (.+?) +\| (.+?) +\|/gm)].map(([, name = '', seenBy = '']) => [name, seenBy])
  const seen = rows.filter(([, seenBy = '']) => /^(a test|thrown|[a-z]+(-[a-z]+)+)$/.test(seenBy)).map(([name]) => name)
  assert.deepEqual(
    seen,
    MUTATIONS.map(({ name }) => name),
  )
})
