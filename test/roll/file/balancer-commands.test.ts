import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const file = (...lines: readonly string[]): string =>
  rollYaml('  nodes: {all: true}', '  balancers:', '    - name: edge', '      commands:', ...lines)

const LINES = [
  '        detach: [lb, detach, "{node}"]',
  '        attach: [lb, attach, "{address}:{port}"]',
  '        status: [lb, status, "{node}"]',
  '        dataPort: 443',
]

test('a balancer of commands needs three of them and the data port', () => {
  assert.deepEqual(load(file(...LINES)).balancers, [
    {
      name: 'edge',
      instances: ['edge'],
      backends: ['nodes'],
      allowLastServer: false,
      via: {
        kind: 'commands',
        detach: ['lb', 'detach', '{node}'],
        attach: ['lb', 'attach', '{address}:{port}'],
        status: ['lb', 'status', '{node}'],
        dataPort: 443,
        timeoutMs: 5_000,
        intervalMs: 5_000,
      },
    },
  ])
})

for (const [what, line, message] of [
  ['a command that does not receive the node', 'cut: [lb, cut, "{port}"]', /the command does not receive the node/],
  ['a program that is another one for each node', 'cut: ["{node}", "{node}"]', /the first argument is not a program/],
  ['a time that a pass cannot wait', 'timeout: 1min', /"1min" is too long/],
  ['an interval that is no pause', 'interval: 100ms', /"100ms" is too short/],
] as const) {
  test(`${what} is refused where it stands`, () => {
    const finding = onlyFinding(file(...LINES, `        ${line}`))
    assert.match(finding, message)
    assert.ok(finding.includes(' --> roll.yaml:13:'), finding)
  })
}

test('a balancer of commands has no instances and no detacher beside it', () => {
  const beside = (line: string): string => onlyFinding(file(...LINES, `      ${line}`))
  assert.match(beside('backends: [web]'), /"backends" beside "commands": the commands are run for each node/)
  assert.match(beside('healthEndpoint: {dataPort: 443}'), /"commands" beside "healthEndpoint": only one may be written/)
})
