import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { validateGuard } from '../../src/guard/decide/guard-kind.ts'
import { guardSchema } from '../../src/guard/decide/schema/guard-schema.ts'
import { shipped } from '../support/agent-chart.ts'
import { silentFields } from '../support/silent-fields.ts'

test('each field of a NodeGuard says what it means, and a field of the spec what holds without it', () => {
  assert.deepEqual(silentFields(guardSchema()), [])
})

test('the NodeGuard that is shipped as an example is right, and refused where it contradicts itself', () => {
  const example = parse(shipped('examples/node-guard.yaml')) as { readonly spec: object }
  assert.deepEqual(validateGuard(example), [])
  const [finding] = validateGuard({ ...example, spec: { ...example.spec, follow: {} } })
  assert.deepEqual([finding?.field, finding?.severity], ['spec.follow', 'error'])
})
