import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { rollFileJsonSchema } from '../../../src/roll/file/roll-file-json-schema.ts'
import { rollFileReference } from '../../../src/roll/file/roll-file-reference.ts'
import { load } from './roll-file.ts'

const docs = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
const hint = 'run: npm run docs'

test('the reference and the JSON schema in docs are those of the code', () => {
  const schema = rollFileJsonSchema()
  assert.ok(docs('roll-file.md') === rollFileReference(schema, docs('roll.example.yaml')), hint)
  assert.ok(docs('roll.schema.json') === `${JSON.stringify(schema, null, 2)}\n`, hint)
})

test('the example of the docs is a valid roll', () => {
  const spec = load(docs('roll.example.yaml'))
  assert.equal(spec.balancers[0]?.instances.length, 2)
  assert.equal(spec.probe?.targets.length, 2)
})

test('every field of the file says what it means', () => {
  const silent: string[] = []
  const visit = (path: string, schema: ReturnType<typeof rollFileJsonSchema>): void => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (field.description === undefined || !field.description.endsWith('.')) silent.push(`${path}.${name}`)
      visit(`${path}.${name}`, field.items ?? field)
    }
  }
  visit('', rollFileJsonSchema())
  assert.deepEqual(silent, [])
})
