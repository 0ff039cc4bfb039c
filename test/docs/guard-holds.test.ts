import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { urlFault } from '../../src/ground/model/hold-url.ts'
import { monoMs } from '../../src/ground/model/time.ts'
import { pathFault } from '../../src/ground/net/json-path.ts'
import { CelRules } from '../../src/guard/io/cel/object-rules.ts'
import { root } from '../support/repository-files.ts'
import { HOLD_CASES } from './guard-hold-cases.ts'

interface ObjectHold {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace?: string
  readonly name: string
  readonly clearWhen: string
}

interface Hold {
  readonly name: string
  readonly object?: ObjectHold
  readonly http?: { readonly url: string; readonly jsonPath: string; readonly equals: string }
}

interface Granted {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly rules?: readonly { apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[] }[]
  readonly roleRef?: { readonly name: string }
  readonly subjects?: readonly unknown[]
}

const text = readFileSync(`${root}docs/guard-holds.md`, 'utf8')
const snippets = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => yaml)
const lists = snippets
  .filter((yaml) => yaml.includes('holds:'))
  .map((yaml) => (parse(yaml) as { spec: { holds: Hold[] } }).spec.holds)
const granted = snippets
  .filter((yaml) => yaml.includes('kind: Role'))
  .flatMap((yaml) => parseAllDocuments(yaml).map((each) => each.toJS() as Granted))
const holds = lists.flat()
const objectHolds = holds.flatMap(({ name, object }) => (object === undefined ? [] : [{ name, object }]))
const rules = new CelRules({ monoMs: () => monoMs(0) }, 10_000)

test('each expression of the page is clear, held or unknown as its program says it', () => {
  assert.deepEqual([...new Set(objectHolds.map(({ name }) => name))].toSorted(), Object.keys(HOLD_CASES).toSorted())
  for (const { name, object } of objectHolds) {
    const cases = HOLD_CASES[name]
    assert.ok(cases)
    assert.equal(rules.fault(object.clearWhen), undefined, name)
    const answer = (given: unknown) => rules.evaluate(object.clearWhen, { object: given, node: 'node-1' })
    for (const given of cases.clear)
      assert.deepEqual(answer(given), { kind: 'true' }, `${name}: ${JSON.stringify(given)}`)
    for (const given of cases.held)
      assert.deepEqual(answer(given), { kind: 'false' }, `${name}: ${JSON.stringify(given)}`)
    for (const [why, given] of cases.unknown) assert.deepEqual(answer(given), { kind: 'unknown', why }, name)
  }
})

test('each name of a hold is a DNS label and stands once in its list, and {node} stands in names and URLs alone', () => {
  for (const list of lists) {
    const names = list.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    for (const name of names) assert.match(name, /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/)
  }
  for (const { object } of objectHolds) assert.equal(JSON.stringify({ ...object, name: '' }).includes('{node}'), false)
})

test('each URL and each JSON path of the page can be used', () => {
  const asked = holds.flatMap(({ http }) => (http === undefined ? [] : [http]))
  assert.ok(asked.length > 0)
  for (const { url, jsonPath } of asked) assert.deepEqual([urlFault(url), pathFault(jsonPath)], [undefined, undefined])
})

test('each object that the page asks may be read by the controller with the Role beside it, and nothing else may', () => {
  const subjects = [{ kind: 'ServiceAccount', name: 'evenkeel-controller', namespace: 'evenkeel' }]
  const roles = granted.filter(({ kind }) => kind === 'Role')
  for (const { name, object } of objectHolds) {
    const role = roles.find(
      ({ metadata, rules: [rule] = [] }) =>
        metadata.namespace === object.namespace &&
        rule?.apiGroups[0] === object.group &&
        rule.resources[0] === object.resource,
    )
    assert.ok(role, name)
    const byName = object.name.includes('{node}') ? {} : { resourceNames: [object.name] }
    assert.deepEqual(role.rules, [
      { apiGroups: [object.group], resources: [object.resource], ...byName, verbs: ['get'] },
    ])
    const binding = granted.find(({ kind, roleRef }) => kind === 'RoleBinding' && roleRef?.name === role.metadata.name)
    assert.equal(binding?.metadata.namespace, object.namespace)
    assert.deepEqual(binding?.subjects, subjects)
  }
  assert.equal(granted.length, 2 * roles.length)
})

test('the page says the limits as they are', () => {
  for (const limit of ['2,000 characters', '300, 40', '8,192 characters', '2 MiB, 64 levels', '250 ms'])
    assert.ok(text.includes(limit), limit)
  assert.equal(rules.fault('object.a + object.b + object.c + object.d == 1'), undefined)
  assert.match(rules.fault(`true${' '.repeat(2_000)}`) ?? '', /longer than 2000/)
  const listed = /Usable functions: (.*?)\. `has\(\)`/s.exec(text)?.[1] ?? ''
  for (const [, name = ''] of listed.matchAll(/`(\w+)`/g))
    if (name !== 'get')
      assert.doesNotMatch(rules.fault(`object.a.${name}(object.b)`) ?? '', /cannot be used here/, name)
})
