import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../../src/ground/model/time.ts'
import type { RuleAnswer } from '../../../../src/guard/holds/object-rules.ts'
import { CelRules } from '../../../../src/guard/io/cel/object-rules.ts'

const rules = new CelRules({ monoMs: () => monoMs(0) })
const CLUSTER = {
  metadata: { name: 'main', annotations: { 'example.com/a': 'x' } },
  spec: { replicas: 3 },
  status: {
    phase: 'Ready',
    ready: true,
    readyReplicas: 3,
    used: 0.5,
    note: null,
    since: '2026-01-01T10:00:00Z',
    conditions: [
      { type: 'Progressing', status: 'False' },
      { type: 'Available', status: 'True', count: 1 },
    ],
  },
}

const answer = (expression: string, object: unknown = CLUSTER): RuleAnswer =>
  rules.evaluate(expression, { object, node: 'n1' })
const why = (expression: string, object: unknown = CLUSTER): string => {
  const given = answer(expression, object)
  return given.kind === 'unknown' ? given.why : given.kind
}

test('an expression that is true or false says so', () => {
  const table: readonly (readonly [string, 'true' | 'false'])[] = [
    ["object.status.phase == 'Ready'", 'true'],
    ["object.status.phase == 'Failed'", 'false'],
    ['object.status.ready', 'true'],
    ['!object.status.ready', 'false'],
    ["node == 'n1' && node in ['n1', 'n2']", 'true'],
    ["object.metadata.annotations['example.com/a'] == 'x'", 'true'],
    ['object.status.note == null', 'true'],
    ["has(object.status.phase) && !has(object.status.other) && !('other' in object.status)", 'true'],
    ["object.status.conditions.exists(c, c.type == 'Available' && c.status == 'True')", 'true'],
    ["object.status.conditions.all(c, c.status == 'True')", 'false'],
    ["object.status.conditions.filter(c, c.status == 'True').map(c, c.type) == ['Available']", 'true'],
    ["object.status.phase.matches('^(Ready|Idle)$') && object.status.phase.startsWith('R')", 'true'],
    ["timestamp(object.status.since) + duration('1h') < timestamp('2026-01-01T12:00:00Z')", 'true'],
    ["object.status.missing == 1 || object.status.phase == 'Ready'", 'true'],
    ["object.status.missing == 1 && object.status.phase == 'Failed'", 'false'],
  ]
  for (const [expression, kind] of table) assert.deepEqual(answer(expression), { kind }, expression)
})

test('a whole number is an int, as for Kubernetes, and compares with a double', () => {
  for (const expression of [
    'object.status.readyReplicas == object.spec.replicas',
    'object.status.readyReplicas - 1 == 2',
    'size(object.status.conditions) < object.spec.replicas',
    'object.status.readyReplicas > 2.5 && object.status.used < 1',
    'type(object.spec.replicas) == int && type(object.status.used) == double',
  ])
    assert.deepEqual(answer(expression), { kind: 'true' }, expression)
})

test('law: an expression that has no answer leaves its hold unknown; the cause names the place', () => {
  const table: readonly (readonly [string, string])[] = [
    ["object.status.ceph.health == 'HEALTH_OK'", 'object.status.ceph is absent'],
    ['object.status.conditions[7].type == "x"', 'object.status.conditions[7] is absent'],
    ["object.metadata.labels[node] == 'x'", 'object.metadata.labels is absent'],
    ['object.status.conditions.all(c, c.count > 0)', 'c.count is absent'],
    ['has(object.gone.field)', 'object.gone is absent'],
    ['object.status.note.text == "x"', 'object.status.note.text is absent'],
    ['object.status.phase > 1', 'no such overload: string > int, in object.status.phase > 1'],
    ['!object.status.phase', 'no such overload: !string, in !object.status.phase'],
    ['int(object.status.phase) == 1', 'int() type error: cannot convert to int, in int(object.status.phase)'],
    ['object.status.phase', 'the result is a string, not true or false'],
    ['object.spec.replicas', 'the result is an int, not true or false'],
    ['object.status.used', 'the result is a double, not true or false'],
    ['object.status', 'the result is a map, not true or false'],
    ['object.status.conditions', 'the result is a list, not true or false'],
    ['object.status.note', 'the result is null, not true or false'],
    ['object.status ==', 'the expression cannot be used: Unexpected token: EOF'],
  ]
  for (const [expression, expected] of table) assert.equal(why(expression), expected, expression)
  assert.equal(why('object.status.phase == "x"', undefined), 'false')
})

test('no object, and one that is none, have no fields', () => {
  for (const object of [null, 7, 'text', [], [{}], true])
    assert.equal(why('object.status == 1', object), 'object.status is absent', JSON.stringify(object))
})

test('what is wrong with an expression is said before it is used', () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    ["object.status.phase == 'Ready'", undefined],
    ['object.status.ready', undefined],
    ['', 'it is empty'],
    [' \n ', 'it is empty'],
    ['object.status ==', 'Unexpected token: EOF'],
    ["'abc'", 'its result is a string, not true or false'],
    ['1 + 1', 'its result is an int, not true or false'],
    ['status.ready', 'Unknown variable: status, in status'],
    ['object.a.sum() == 1', 'the function sum() cannot be used here'],
    ["object.a.map(x, x).join() == ''", 'the function join() cannot be used here'],
    ['cel.bind(a, object.a + object.a, a == "")', 'the function bind() cannot be used here'],
    ["bytes('a').hex() == ''", 'the function hex() cannot be used here'],
    ['1 + 1 + 1 + 1 == 4', undefined],
    ['1 + 1 + 1 + 1 + 1 == 5', 'it adds more than 3 times'],
    ["object.a.matches('(')", '( is not a regular expression'],
    ['object.a.matches(object.b)', 'the pattern of matches() has to be written out'],
    [`object.a.matches('${'(a|'.repeat(100)}')`, 'the pattern of matches() is longer than 200 characters'],
    [`object.a == '${'x'.repeat(2_000)}'`, 'it is longer than 2000 characters'],
    ['has(object.a[0].b)', 'has() invalid argument, in object.a[0]'],
  ]
  for (const [expression, expected] of table) assert.equal(rules.fault(expression), expected, expression)
})

test('an expression of many parts, or a deep one, is refused before it is run', () => {
  assert.match(rules.fault(`${'('.repeat(100)}true${')'.repeat(100)}`) ?? '', /^Exceeded maxDepth \(40\)/)
  assert.match(rules.fault(`object.a in [${'1,'.repeat(400)}1]`) ?? '', /^Exceeded max/)
  assert.match(rules.fault(`${'!'.repeat(1_500)}true`) ?? '', /^Exceeded max/)
  assert.match(rules.fault(`object${'.a'.repeat(500)}`) ?? '', /^Exceeded maxDepth/)
})

test('no cause quotes a value of the object, which may be a Secret', () => {
  const object = { text: 'SECRET', number: 9_007_199_254_740_991, at: '2026-01-01T00:00:00Z' }
  const table: readonly (readonly [string, string])[] = [
    ['bool(object.text)', 'a text is neither true nor false, in bool(object.text)'],
    ["duration(object.text) > duration('1s')", 'a text is no duration, in duration(object.text)'],
    ['object.number * object.number == 1', 'a number is too large, in object.number * object.number'],
    ['timestamp(object.at).getHours(object.text) == 1', 'the expression failed with a RangeError'],
    ["timestamp(object.text) > timestamp('2026-01-01T00:00:00Z')", 'in timestamp(object.text)'],
    ['int(object.text) == 1', 'in int(object.text)'],
    ['double(object.text) == 1.0', 'in double(object.text)'],
    ['object.text[0] == 1', 'object.text[0] is absent'],
    ['object[object.text] == 1', 'object[object.text] is absent'],
    ['object.text.substring(99) == ""', 'in object.text.substring(99)'],
    ['object.text', 'the result is a string, not true or false'],
  ]
  for (const [expression, expected] of table) {
    assert.ok(why(expression, object).endsWith(expected), `${expression}: ${why(expression, object)}`)
    assert.doesNotMatch(why(expression, object), /SECRET|9007199254740991|81129638/)
  }
})

test('a text of an object or an expression stays one harmless line', () => {
  assert.equal(why('bool(object.a)', { a: '\u001b[31m secret' }), 'a text is neither true nor false, in bool(object.a)')
  assert.equal(why("object['\u001b[31m'] == 1", {}), "object['\\x1b[31m'] is absent")
  assert.ok(why(`object['${'x'.repeat(1_900)}'] == 1`, {}).length < 200)
  assert.equal(why('object\n .a\n .b == 1', { a: {} }), 'object .a .b is absent')
})
