import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { load, onlyFinding, refusal, rollYaml } from './roll-file.ts'

const all = '  nodes: {all: true}'

test('a field written twice is named with the line of the first, also in braces and in a list', () => {
  assert.equal(
    onlyFinding(rollYaml(all, '  soak: 1s', '  soak: 2s')),
    `error: "soak" is written twice (config.duplicate-field)
 --> roll.yaml:7:3
7 |   soak: 2s
  |   ^^^^ first in line 6
  = fix: keep one of the two`,
  )
  assert.match(
    onlyFinding(rollYaml(all, '  settle: {limit: 10s, limit: 20s}')),
    /^error: "limit" is written twice .*\n.*:6:24\n.*\n.*\^{5} first in line 6\n/,
  )
  const probes = [
    '  probes:',
    '    - name: a',
    '      url: http://a',
    '    - name: b',
    '      url: http://b',
    '      url: http://c',
  ]
  assert.match(
    onlyFinding(rollYaml(all, ...probes)),
    /^error: "url" is written twice .*\n.*:11:7\n.*\n.*\^{3} first in line 10\n/,
  )
})

test('a tag is refused where it stands, and not left out', () => {
  for (const line of ['  soak: !!js/function 1s', '  soak: !own 1s', '  settle: !x {limit: 10s}', '  dns: !!set {}'])
    assert.match(
      onlyFinding(rollYaml(all, line)),
      /^error: this tag is not supported \(config\.yaml\)\n --> roll\.yaml:6:/,
    )
  assert.equal(refusal(rollYaml(all, '  soak: !!str 1s')), 'accepted')
})

test('a file that is no text is called so, and one that is no section says how a roll file begins', () => {
  for (const text of ['\ufffd\ufffda\u0000p\u0000', 'apiVersion: \u0000', '\u007fELF\u0002\u0001\ufffd'])
    assert.match(
      onlyFinding(text),
      /^error: this is no text in UTF-8 \(config\.no-text\)\n --> roll\.yaml:1:[\s\S]*= fix: save the file/,
    )
  for (const text of ['- a\n', 'hello', '5'])
    assert.match(
      onlyFinding(text),
      /is not a section \(config\.type\)[\s\S]*= fix: begin with "apiVersion: evenkeel\.dev\/v1alpha1"$/,
    )
})

test('an alias is refused where it stands', () => {
  assert.equal(
    onlyFinding(rollYaml(all, '  detach: {idleLimit: &long 5min}', '  soak: *long')),
    `error: aliases are not supported (config.yaml)
 --> roll.yaml:7:9
7 |   soak: *long
  |         ^^^^^
  = fix: write the value out again`,
  )
})

test('more than one document is refused', () => {
  assert.match(
    refusal(`${rollYaml(all)}---\n${rollYaml(all)}`),
    /more than one document in the file \(config\.many-documents\)/,
  )
})

test('broken YAML is said in one finding per fault, without guessing at fields', () => {
  const broken = refusal('apiVersion: [1\nkind: Roll\n')
  assert.match(broken, /^error: not valid YAML \(config\.yaml\)\n/)
  assert.match(broken, /\n *= fix: check brackets, quotes and indentation here and in the lines above\n/)
  assert.match(refusal(rollYaml(all, '\tsoak: 1s')), /a tab is where YAML allows only spaces/)
  assert.match(refusal(rollYaml(all, '  soak: !!binary aGk=')), /this tag is not supported/)
})

test('a bomb of nested lists is refused, not run', () => {
  assert.match(refusal('['.repeat(50_000)), /errors? in roll\.yaml/)
  assert.match(refusal(rollYaml(all, `  soak: ${'['.repeat(40)}${']'.repeat(40)}`)), /nested more than 32 deep/)
})

test('a file larger than any roll is refused unread', () => {
  assert.throws(
    () => load(' '.repeat(300_000)),
    (error) => error instanceof UserError && error.code === 'config.too-large',
  )
})

test('names that JavaScript knows are unknown fields like any other', () => {
  assert.match(onlyFinding(rollYaml(all, '  __proto__: {all: true}')), /unknown field "__proto__"/)
  assert.match(onlyFinding(rollYaml(all, '  constructor: x')), /unknown field "constructor"/)
})

test('the caret stands right after tabs and wide characters, and long lines are cut around it', () => {
  assert.match(onlyFinding(rollYaml(all, '  soak:\t漢字')), /\n6 \| {3}soak:\t漢字\n {2}\| {8}\t\^\^\^\^ ms/)
  const long = onlyFinding(rollYaml(all, `  ${'x'.repeat(150)}: 1`))
  for (const line of long.split('\n')) assert.ok(line.length < 125 || /^(error:| {2}= note:)/.test(line), line)
})

test('control characters of the file do not reach the terminal', () => {
  const said = refusal(rollYaml(all, '  "\\e[31mred": 1', '  soak: "\\a"'))
  assert.ok(!/[\x00-\x09\x0b-\x1f\x7f]/.test(said), JSON.stringify(said))
})
