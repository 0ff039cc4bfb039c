import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const file = (...lines: readonly string[]): string =>
  rollYaml('  nodes: {all: true}', '  gates:', '    - name: ceph', ...lines.map((line) => `      ${line}`))

const questionOf = (...lines: readonly string[]) => load(file('before: node', ...lines)).gates?.[0]?.question

test('a gate has times where the file names none', () => {
  assert.deepEqual(load(file('before: reboot', 'command: [may-reboot, "{node}"]')).gates, [
    {
      name: 'ceph',
      before: ['reboot'],
      timesInARow: 3,
      intervalMs: 5_000,
      timeoutMs: 10_000,
      limitMs: 600_000,
      question: { kind: 'command', argv: ['may-reboot', '{node}'] },
    },
  ])
  assert.deepEqual(load(file('before: [node, attach]', 'command: [x]')).gates?.[0]?.before, ['node', 'attach'])
})

test('each kind of gate is read as it is asked', () => {
  assert.deepEqual(
    questionOf(
      'http: {url: "http://s/{node}", jsonPath: $.status, equals: green, headers: [{name: A, valueFrom: {env: T}}]}',
    ),
    {
      kind: 'http',
      url: 'http://s/{node}',
      expectStatus: [200, 299],
      jsonPath: '$.status',
      equals: 'green',
      headers: [{ name: 'A', value: { env: 'T' } }],
    },
  )
  for (const [written, operator, value] of [
    ['== 0', '==', 0],
    ['<= 0.01', '<=', 0.01],
    ['>1e3', '>', 1000],
    ['!= -1', '!=', -1],
  ] as const)
    assert.deepEqual(questionOf(`prometheus: {url: "http://p:9090", query: up, expect: "${written}"}`), {
      kind: 'prometheus',
      url: 'http://p:9090',
      query: 'up',
      expect: { operator, value },
      headers: [],
    })
  const object = 'group: ceph.rook.io, version: v1, resource: cephclusters, namespace: rook-ceph, name: rook-ceph'
  const read = {
    kind: 'object',
    group: 'ceph.rook.io',
    version: 'v1',
    resource: 'cephclusters',
    namespace: 'rook-ceph',
    object: 'rook-ceph',
  }
  assert.deepEqual(questionOf(`object: {${object}, passWhen: "object.ok"}`), { ...read, passWhen: 'object.ok' })
  assert.deepEqual(questionOf(`object: {${object}, condition: Degraded=False}`), {
    ...read,
    passWhen: "object.status.conditions.exists(c, c.type == 'Degraded' && c.status == 'False')",
  })
})

for (const [lines, text, column, fix] of [
  [['before: node'], 'one of http, command, prometheus, object is missing', 7, 'command'],
  [['before: later', 'command: [x]'], '"later"', 15, ''],
  [['before: node', 'command: []'], '', 16, ''],
  [
    ['before: node', 'prometheus: {url: "http://p", query: up, expect: zero}'],
    '"zero" is not a comparison',
    56,
    '== 0',
  ],
  [['before: node', 'http: {url: "ftp://x"}'], 'it begins neither with http:// nor with https://', 19, ''],
  [['before: node', 'http: {url: "http://s", jsonPath: $.a}'], 'jsonPath and equals belong together', 13, 'equals'],
  [['before: node', 'command: [x]', 'object: {version: v1, resource: pods, name: a, condition: R}'], 'only one', 7, ''],
  [
    ['before: node', 'object: {version: v1, resource: pods, name: a}'],
    'one of condition, passWhen is missing',
    15,
    'Ready',
  ],
  [['before: node', 'http: {url: "http://{host}/"}'], '{host} is neither {node} nor {address}', 19, ''],
] as const) {
  test(`refuses with its place: ${lines.at(-1)}`, () => {
    const found = onlyFinding(file(...lines))
    assert.ok(found.includes(text), found)
    assert.match(found, new RegExp(`roll\\.yaml:\\d+:${column}\\b`), found)
    assert.match(found, /\^/)
    assert.ok(found.includes(fix), found)
  })
}
