import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onlyFinding, refusal, rollYaml } from './roll-file.ts'

const all = '  nodes: {all: true}'

const balancer = (instances: string, backends = '[web]'): string =>
  rollYaml(all, `  balancers: [{name: edge, instances: ${instances}, backends: ${backends}}]`)

test('refuses a balancer that cannot be reached in exactly one way', () => {
  const nowhere = onlyFinding(balancer('[{name: a}]'))
  assert.match(nowhere, /^error: one of socket, tcp, ssh is missing \(config\.choice\)/)
  assert.match(nowhere, /\n *= fix: socket: \/run\/haproxy\/admin\.sock$/)
  assert.match(onlyFinding(balancer('[{name: a, socket: /s, tcp: "h:1"}]')), /^error: "tcp" beside "socket"/)
  assert.match(
    onlyFinding(balancer('[{name: a, tcp: "h:1", masterSocket: /m}]')),
    /^error: "masterSocket" beside "tcp"/,
  )
  assert.match(onlyFinding(balancer('[{name: a, socket: run/s}]')), /^error: "run\/s" is not a path/)
  assert.match(onlyFinding(balancer('[{name: a, tcp: "h:70000"}]')), /^error: a port is 1 to 65535/)
  assert.match(onlyFinding(balancer('[{name: a, tcp: h}]')), /^error: "h" is not a host:port/)
  assert.match(onlyFinding(balancer('[{name: a, ssh: {host: -oProxyCommand=x, socket: /s}}]')), /is not a host /)
  assert.match(onlyFinding(balancer('[{name: a, socket: /s}]', '["web; shutdown"]')), /is not a backend/)
  assert.match(onlyFinding(balancer('[{name: a, socket: /s}, {name: a, socket: /t}]')), /"a" is written twice/)
})

test('refuses two instances of one balancer at one address: the other process would go on sending', () => {
  const twice = onlyFinding(balancer('[{name: a, socket: /s}, {name: b, socket: /s}]'))
  assert.match(twice, /^error: "\/s" is written twice \(config\.repeated\)/)
  assert.match(twice, /\n *= fix: write the address of the other process$/)
  assert.match(onlyFinding(balancer('[{name: a, tcp: "h:1"}, {name: b, tcp: "h:1"}]')), /"h:1" is written twice/)
  const ssh = (...hosts: readonly string[]): string =>
    `[${hosts.map((host, at) => `{name: a${at}, ssh: {host: ${host}, socket: /s}}`).join(', ')}]`
  assert.match(onlyFinding(balancer(ssh('lb-1', 'lb-1'))), /"lb-1:\/s" is written twice/)
  assert.equal(refusal(balancer(ssh('lb-1', 'lb-2'))), 'accepted')
  const [one, other] = ['a', 'b'].map(
    (name) => `{name: ${name}, instances: [{name: ${name}, socket: /s}], backends: [${name}]}`,
  )
  assert.equal(refusal(rollYaml(all, `  balancers: [${one}, ${other}]`)), 'accepted', 'two balancers of one process')
})

test('refuses two values for one mark of a Node: each balancer would wait for the other one to take its mark off', () => {
  const both = (first: string, second: string): string =>
    rollYaml(
      all,
      '  balancers:',
      `    - {name: edge, healthCheck: {${first}, dataPort: 443}}`,
      `    - {name: api, ${second}}`,
    )
  const refused = onlyFinding(
    both('label: example.com/out', 'healthCheck: {label: example.com/out, value: api, dataPort: 6}'),
  )
  assert.match(refused, /^error: label example\.com\/out cannot have two values at once \(config\.repeated\)/)
  assert.match(refused, /\n *= fix: value: evenkeel$/)
  assert.equal(
    refusal(both('label: example.com/out', 'healthCheck: {label: example.com/out, dataPort: 6}')),
    'accepted',
  )
  assert.equal(refusal(both('label: a/b', 'healthCheck: {taint: a/b, value: api, dataPort: 6}')), 'accepted')
  const detacher = (value: string): string =>
    `annotation: {key: a/b, value: ${value}, detachedKey: a/detached, dataPort: 6}`
  assert.match(onlyFinding(both('annotation: a/b', detacher('api'))), /annotation a\/b cannot have two values at once/)
  assert.equal(refusal(both('annotation: a/b', detacher('evenkeel'))), 'accepted')
})

test('refuses a file that is no roll', () => {
  assert.equal(
    onlyFinding(''),
    `error: the file is empty (config.empty)
 --> roll.yaml:1:1
1 |
  | ^
  = fix: begin with "apiVersion: evenkeel.dev/v1alpha1"`,
  )
  assert.match(onlyFinding('just words'), /^error: "just words" is not a section \(config\.type\)/)
  const other = 'apiVersion: v1\nkind: Rol\nmetadata: {name: a}\nspec: {nodes: {all: true}}\n'
  assert.match(refusal(other), /^error: unknown apiVersion "v1" \(config\.value\)/)
  assert.match(refusal(other), /= fix: kind: Roll\n2 errors in roll\.yaml/)
})

const pairOf = (...lines: readonly string[]): string =>
  rollYaml(
    all,
    '  balancers: [{name: edge, backends: [web], instances: [{name: lb-1, socket: /a}, {name: lb-2, socket: /b}]}]',
    '  hosts:',
    '    pairs:',
    '      - name: edge',
    '        addresses: [10.0.0.100]',
    '        machines: [{name: lb-1, instances: [lb-1]}, {name: lb-2, instances: [lb-2]}]',
    ...lines.map((line) => `        ${line}`),
  )

test('refuses connections to be held where the command of the machine cannot do it', () => {
  const here = onlyFinding(
    pairOf('moveAway: [x, "{host}"]', 'moveBack: [x, "{host}"]', 'runs: here', 'holdConnections: {ports: [80]}'),
  )
  assert.match(here, /^error: "holdConnections" beside "runs: here"/)
  const short = onlyFinding(
    pairOf('trackFile: {path: /run/x, away: 1}', 'commandTimeout: 5s', 'holdConnections: {ports: [80], limit: 2s}'),
  )
  assert.match(short, /^error: the command may not end before .*\(config\.range\)/)
  assert.match(short, /= fix: commandTimeout: 8s/)
})
