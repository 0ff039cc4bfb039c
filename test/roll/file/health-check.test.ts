import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const file = (...lines: readonly string[]): string =>
  rollYaml('  nodes: {all: true}', '  balancers:', '    - name: edge', '      healthCheck:', ...lines)

const LINES = ['        taint: ToBeDeletedByClusterAutoscaler', '        dataPort: 443']

test('a health check needs a mark and the data port', () => {
  assert.deepEqual(load(file(...LINES)).balancers, [
    {
      name: 'edge',
      instances: ['edge'],
      backends: ['nodes'],
      allowLastServer: false,
      via: {
        kind: 'mark',
        mark: { kind: 'taint', key: 'ToBeDeletedByClusterAutoscaler', value: 'evenkeel' },
        markDelayMs: 10_000,
        checks: { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 2_000 },
        dataPort: 443,
      },
    },
  ])
})

test('the check is asked as the file says', () => {
  const lines = ['        check: {url: "http://{address}:10256/healthz"}', '        nodes: ingress=true']
  const via = load(file(...LINES, ...lines)).balancers[0]?.via
  assert.ok(via?.kind === 'mark')
  const { check, nodes } = via
  assert.deepEqual(check, {
    url: 'http://{address}:10256/healthz',
    expectStatus: [200, 399],
    insecure: false,
    timeoutMs: 1_000,
  })
  assert.deepEqual(nodes, { matchLabels: { ingress: 'true' }, matchExpressions: [] })
})

test('a label, also that of Kubernetes, and an annotation are marks as a taint is', () => {
  const markBy = (line: string) => {
    const via = load(file(`        ${line}`, '        dataPort: 443')).balancers[0]?.via
    return via?.kind === 'mark' && via.mark
  }
  assert.deepEqual(
    [markBy('label: node.kubernetes.io/exclude-from-external-load-balancers'), markBy('annotation: example.com/out')],
    [
      { kind: 'label', key: 'node.kubernetes.io/exclude-from-external-load-balancers', value: 'evenkeel' },
      { kind: 'annotation', key: 'example.com/out', value: 'evenkeel' },
    ],
  )
})

for (const [what, line, message, at] of [
  ['a second mark', 'label: example.com/out', /"label" beside "taint": only one may be written/, '11:9'],
  ['a value that is no label value', 'value: "not now"', /"not now" cannot be the value of a mark/, '11:16'],
  ['a URL that is the same for each node', 'check: {url: "http://lb:1/"}', /the URL does not name the node/, '11:22'],
  [
    'a URL with another scheme than http or https',
    'check: {url: "ftp://{node}/"}',
    /cannot be queried: it begins neither with/,
    '11:22',
  ],
  ['a time that a poll cannot wait', 'check: {url: "http://{node}/", timeout: 10s}', /"10s" is too long/, '11:49'],
] as const) {
  test(`${what} is refused where it stands`, () => {
    const finding = onlyFinding(file(...LINES, `        ${line}`))
    assert.match(finding, message)
    assert.ok(finding.includes(` --> roll.yaml:${at}`), finding)
  })
}

for (const key of ['evenkeel.dev/out', 'node.kubernetes.io/unschedulable', 'a/b/c'])
  test(`${key} cannot be the key of a mark`, () =>
    assert.match(onlyFinding(file(`        taint: ${key}`, '        dataPort: 443')), /cannot be the key of a mark/))

test('a mark is asked for where there is none, and nothing that is asked stands beside it', () => {
  assert.match(onlyFinding(file('        dataPort: 443')), /one of taint, label, annotation is missing/)
  assert.match(
    onlyFinding(file(...LINES, '      backends: [web]')),
    /"backends" beside "healthCheck": the roll sets a mark on each Node, and queries no balancer/,
  )
  assert.match(
    onlyFinding(file(...LINES, '      healthEndpoint: {dataPort: 443}')),
    /"healthCheck" beside "healthEndpoint": only one may be written/,
  )
})
