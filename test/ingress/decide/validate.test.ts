import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Schema } from '../../../src/ground/model/schema/open-api.ts'
import { ingressSchema } from '../../../src/ingress/decide/schema/ingress-schema.ts'
import { validateIngress } from '../../../src/ingress/decide/validate.ts'
import { ingress } from '../../support/ingress/ingress-row.ts'
import { INGRESS_ROWS } from '../../support/ingress/ingress-rows.ts'

const saidOf = (object: unknown, old?: unknown): readonly string[] =>
  validateIngress(object, old).map(({ code, field }) => `${code} ${field}`)

describe('of an IngressDaemonSet by itself it is said', () => {
  for (const { title, object, says } of INGRESS_ROWS) {
    test(`${title}: ${says.length === 0 ? 'nothing' : says.map((word) => word.split(' ')[0]).join(', ')}`, () => {
      assert.deepEqual(saidOf(object).toSorted(), says.toSorted())
    })
  }
})

test('the table breaks every rule but that of a change', () => {
  const said = new Set(INGRESS_ROWS.flatMap(({ says }) => says.map((word) => word.split(' ')[0])))
  const rules = (schema: Schema): readonly string[] => [
    ...(schema.rules ?? []).map(({ rule }) => rule),
    ...Object.values(schema.properties ?? {}).flatMap(rules),
    ...(schema.items === undefined ? [] : rules(schema.items)),
  ]
  const all = [...new Set(rules(ingressSchema()))]
  assert.ok(all.length > 25)
  assert.deepEqual(
    all.filter((rule) => !said.has(rule)),
    ['selectorChanged'],
  )
})

test('a selector is what it was before', () => {
  const [web, edge] = ['web', 'edge'].map((app) => ({ selector: { matchLabels: { app } } }))
  const edged = { ...edge, template: { metadata: { labels: { app: 'edge' } }, spec: { containers: [{ name: 'a' }] } } }
  const refusal = ['selectorChanged spec.selector']
  assert.deepEqual(saidOf(ingress({ ...web, podsPerNode: 2 }), ingress({ ...web })), [])
  assert.deepEqual(saidOf(ingress(edged), ingress({ ...web })), refusal)
  assert.deepEqual(saidOf(ingress({}), ingress({ ...web })), refusal)
  assert.deepEqual(saidOf(ingress({ ...web }), ingress({})), refusal)
  assert.deepEqual(saidOf(ingress({ ...web }), { spec: 'what an older schema took' }), [])
})

test('each finding is a sentence with a way out', () => {
  for (const finding of INGRESS_ROWS.flatMap(({ object }) => validateIngress(object))) {
    assert.doesNotMatch(finding.text, /\.$|undefined/)
    assert.doesNotMatch(finding.fix, /\.$|undefined/)
    assert.ok(finding.fix.length > 5)
  }
})

test('no object, whatever it is, is too much for it', () => {
  const anything = fc.anything({ maxDepth: 3 })
  fc.assert(fc.property(anything, (object) => void validateIngress(object)))
})

test('nor is one with anything in the place of one of its values', () => {
  const row = fc.constantFrom(...INGRESS_ROWS)
  fc.assert(
    fc.property(row, fc.nat(), fc.jsonValue(), ({ object }, at, value) => {
      const paths = pathsIn(object)
      validateIngress(replaced(object, paths[at % paths.length] ?? [], value))
    }),
    { numRuns: 1_000 },
  )
})

type Path = readonly string[]

const pathsIn = (value: unknown): readonly Path[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, field]) => [[name], ...pathsIn(field).map((path) => [name, ...path])])

function replaced(at: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value
  if (Array.isArray(at)) return at.map((item, i) => (String(i) === name ? replaced(item, rest, value) : item))
  const fields = at as Readonly<Record<string, unknown>>
  return { ...fields, [name]: replaced(fields[name], rest, value) }
}

test('a key of a million letters is judged at once', () => {
  const labels = { [`${'a'.repeat(1_000_000)}!`]: 'a' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a' }] } }
  assert.deepEqual(saidOf(ingress({ template })), ['notLabels spec.template.metadata.labels'])
})

test('a list of a million ports is judged at once', () => {
  const healthCheckNodePorts = Array.from({ length: 1_000_000 }, (_, i) => i)
  assert.deepEqual(saidOf(ingress({ healthCheckNodePorts })), ['tooMany spec.healthCheckNodePorts'])
})

test('a number that is too large to be exact is none', () => {
  assert.deepEqual(saidOf(ingress({ progressDeadlineSeconds: 2 ** 53 })), ['wrongType spec.progressDeadlineSeconds'])
})
