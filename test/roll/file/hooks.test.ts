import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const file = (...lines: readonly string[]): string =>
  rollYaml('  nodes: {all: true}', '  hooks:', '    - name: noout', ...lines.map((line) => `      ${line}`))

test('a hook stops the roll where the file says nothing of a failure', () => {
  assert.deepEqual(load(file('at: beforeReboot', 'run: [ceph, osd, set, noout]', 'undo: [x, "{node}"]')).hooks, [
    {
      name: 'noout',
      at: 'beforeReboot',
      run: ['ceph', 'osd', 'set', 'noout'],
      undo: ['x', '{node}'],
      timeoutMs: 60_000,
      onFailure: 'stop',
      limitMs: 600_000,
    },
  ])
})

for (const [lines, text, fix] of [
  [['at: later', 'run: [x]'], '"later"', ''],
  [['at: afterNode', 'run: [x]', 'undo: [y]'], 'a hook of afterNode has no undo', 'remove undo'],
  [['at: afterRoll', 'run: ["", y]'], 'the command has no program', 'begin with the program'],
  [['at: afterRoll', 'run: ceph osd set noout'], 'run', ''],
  [['at: afterRoll', 'run: [x]', 'onFailure: wait'], '"wait"', ''],
  [['at: afterRoll', 'run: [x]', 'timeout: 2h'], '"2h" is too long', ''],
] as const) {
  test(`refuses with its place: ${lines.at(-1)}`, () => {
    const found = onlyFinding(file(...lines))
    assert.ok(found.includes(text) && found.includes(fix), found)
    assert.match(found, /roll\.yaml:\d+:\d+[\s\S]*\^/)
  })
}
