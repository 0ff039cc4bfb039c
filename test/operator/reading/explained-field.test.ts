import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainedField } from '../../../src/operator/reading/explained-field.ts'
import { rollCrd } from '../../../src/operator/reading/roll-crd.ts'

test('kubectl explain says the meaning of a field, its form, and what may be written', () => {
  const field = { title: 'duration', type: 'string', description: 'How long.', default: '10s', examples: ['5min'] }
  assert.equal(explainedField(field, false), 'How long. Default: 10s. Example: 5min.')
  assert.equal(explainedField({ ...field, examples: ['10s'] }, false), 'How long. Default: 10s.')
  const mixed = { title: 'number or percentage', anyOf: [], description: 'How many.' }
  assert.equal(explainedField(mixed, false), 'How many. Form: number or percentage.')
  const number = { title: 'whole number', type: 'integer', description: 'How often.', minimum: 1, maximum: 100 }
  assert.equal(explainedField(number, true), 'How often. From 1 to 100. Required.')
  assert.equal(explainedField({ title: 'section', description: 'All of it.', default: {} }, false), 'All of it.')
})

interface Node {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
}

test('each field of a Roll has a description in whole sentences', () => {
  const [version] = rollCrd().spec.versions
  assert.ok(version !== undefined)
  const bare: string[] = []
  const walk = (node: Node, path: string): void => {
    for (const [name, field] of Object.entries(node.properties ?? {})) {
      const at = `${path}.${name}`
      if (!/^[^a-z].*\.$/s.test(field.description ?? '')) bare.push(`${at}: ${field.description}`)
      walk(field, at)
      if (field.items !== undefined) walk(field.items, `${at}[]`)
    }
  }
  const { properties } = version.schema.openAPIV3Schema as { properties: { spec: Node; status: Node } }
  walk(properties.spec, 'spec')
  walk(properties.status, 'status')
  assert.deepEqual(bare, [])
})
