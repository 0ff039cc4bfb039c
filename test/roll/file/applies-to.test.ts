import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const HOSTS = [
  '  balancers: [{name: edge, backends: [web], instances: [{name: lb-1, socket: /a}, {name: lb-2, socket: /b}]}]',
  '  hosts:',
  '    pairs:',
  '      - name: edge',
  '        addresses: [10.0.0.100]',
  '        machines: [{name: lb-1, instances: [lb-1]}, {name: lb-2, instances: [lb-2]}]',
  '        trackFile: {path: /run/x, away: 1}',
]
const gate = (appliesTo: string): string => `  gates: [{name: ceph, before: node, command: [x], ${appliesTo}}]`

test('a gate is for nodes alone unless the file says otherwise', () => {
  const scopes = (...lines: string[]) =>
    load(rollYaml('  nodes: {all: true}', ...HOSTS, ...lines)).gates?.[0]?.appliesTo
  assert.equal(scopes('  gates: [{name: ceph, before: node, command: [x]}]'), undefined)
  assert.deepEqual(scopes(gate('appliesTo: [hosts]')), ['hosts'])
  assert.deepEqual(scopes(gate('appliesTo: [nodes, hosts]')), ['nodes', 'hosts'])
})

test('hooks have it too', () => {
  const hook = '  hooks: [{name: noout, at: beforeNode, run: [x], appliesTo: [hosts]}]'
  assert.deepEqual(load(rollYaml('  nodes: {all: true}', ...HOSTS, hook)).hooks?.[0]?.appliesTo, ['hosts'])
})

test('silences have it too', () => {
  const silence =
    '  silences: [{name: am, url: "http://am", matchers: [{name: a, value: "{node}"}], appliesTo: [hosts]}]'
  assert.deepEqual(load(rollYaml('  nodes: {all: true}', ...HOSTS, silence)).silences?.[0]?.appliesTo, ['hosts'])
})

for (const [lines, text, fix] of [
  [[gate('appliesTo: [hosts]')], '"hosts" without machines', 'describe the machines in "hosts"'],
  [
    [...HOSTS, '  hooks: [{name: end, at: afterRoll, run: [x], appliesTo: [hosts]}]'],
    'a hook of afterRoll runs once for the roll',
    'remove appliesTo',
  ],
  [
    ['  hooks: [{name: a, at: beforeNode, run: [x], appliesTo: [nodes, hosts]}]'],
    '"hosts" without machines',
    'describe',
  ],
  [
    ['  silences: [{name: am, url: "http://am", matchers: [{name: a, value: "{node}"}], appliesTo: [hosts]}]'],
    '"hosts" without machines',
    'describe',
  ],
  [[...HOSTS, gate('appliesTo: [machines]')], '"machines"', ''],
  [[...HOSTS, gate('appliesTo: []')], '"appliesTo" is an empty list', ''],
  [[...HOSTS, gate('appliesTo: [hosts, hosts]')], '"hosts" is written twice', 'write it once'],
  [[...HOSTS, gate('appliesTo: hosts')], '"hosts" is not a list', ''],
] as const) {
  test(`refuses with its place: ${lines.at(-1)}`, () => {
    const found = onlyFinding(rollYaml('  nodes: {all: true}', ...lines))
    assert.ok(found.includes(text) && found.includes(fix), found)
    assert.match(found, /roll\.yaml:\d+:\d+[\s\S]*\^/)
  })
}
