import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const file = (...lines: readonly string[]): string =>
  rollYaml('  nodes: {all: true}', '  balancers:', '    - name: edge', ...lines)

test('a health endpoint needs no more than the data port', () => {
  const [edge] = load(file('      healthEndpoint: {dataPort: 443}')).balancers
  assert.deepEqual(edge, {
    name: 'edge',
    instances: ['edge'],
    backends: ['nodes'],
    allowLastServer: false,
    via: {
      kind: 'agent',
      agentPort: 8081,
      dataPort: 443,
      checks: { intervalMs: 2000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 2000 },
      checkers: {},
    },
  })
})

test('sources of checks are known by their address as it is, however it is written', () => {
  const [edge] = load(
    file('      healthEndpoint:', '        dataPort: 443', '        checkers: [{address: "FD00::0:5", count: 3}]'),
  ).balancers
  assert.deepEqual(edge?.via.kind === 'agent' && edge.via.checkers, { 'fd00:0:0:0:0:0:0:5': 3 })
})

test('a balancer that is asked itself has instances and backends, and no endpoint beside them', () => {
  assert.equal(
    onlyFinding(file('      healthEndpoint: {dataPort: 443}', '      backends: [web]')),
    `error: "backends" beside "healthEndpoint": the roll queries the agents of the nodes, and no balancer (config.choice)
 --> roll.yaml:9:7
9 |       backends: [web]
  |       ^^^^^^^^
  = fix: remove "backends" or "healthEndpoint"`,
  )
  assert.match(onlyFinding(file('      backends: [web]')), /missing field "instances"/)
  assert.match(onlyFinding(file('      instances: [{name: a, socket: /s}]')), /missing field "backends"/)
})

test('a checker is an address', () => {
  assert.match(
    onlyFinding(file('      healthEndpoint: {dataPort: 443, checkers: [{address: lb.example.com}]}')),
    /an IP address/,
  )
})
