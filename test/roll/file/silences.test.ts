import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const file = (...lines: readonly string[]): string =>
  rollYaml('  nodes: {all: true}', '  silences:', '    - name: am', ...lines.map((line) => `      ${line}`))

test('a silence is short, and an Alertmanager that is away holds nothing, where the file says no more', () => {
  const lines = ['url: http://am:9093', 'matchers: [{name: instance, value: "{node}"}]']
  assert.deepEqual(load(file(...lines)).silences, [
    {
      name: 'am',
      url: 'http://am:9093',
      matchers: [{ name: 'instance', value: '{node}', regex: false }],
      durationMs: 600_000,
      timeoutMs: 5_000,
      onFailure: 'ignore',
      headers: [],
    },
  ])
})

for (const [lines, text] of [
  [['url: http://am', 'matchers: [{name: severity, value: warning}]'], 'the silence would cover every node'],
  [['url: http://am', 'matchers: []'], 'matchers'],
  [['url: http://u:p@am', 'matchers: [{name: a, value: "{node}"}]'], 'the URL carries a user or a password'],
  [['url: http://am', 'matchers: [{name: a-b, value: "{node}"}]'], '"a-b"'],
  [['url: http://am', 'duration: 5s', 'matchers: [{name: a, value: "{node}"}]'], '"5s" is too short'],
] as const) {
  test(`refuses with its place: ${lines.join(', ')}`, () => {
    const found = onlyFinding(file(...lines))
    assert.ok(found.includes(text), found)
    assert.match(found, /roll\.yaml:\d+:\d+[\s\S]*\^/)
  })
}
