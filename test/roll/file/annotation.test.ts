import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const file = (...lines: readonly string[]): string =>
  rollYaml('  nodes: {all: true}', '  balancers:', '    - name: edge', '      annotation:', ...lines)

const KEYS = [
  '        key: node-detacher.variant.run/detached',
  '        detachedKey: node-detacher.variant.run/detachment-timestamp',
  '        dataPort: 443',
]

test('a detacher needs its two annotations and the data port', () => {
  assert.deepEqual(load(file(...KEYS)).balancers, [
    {
      name: 'edge',
      instances: ['edge'],
      backends: ['nodes'],
      allowLastServer: false,
      via: {
        kind: 'detacher',
        request: { key: 'node-detacher.variant.run/detached', value: 'evenkeel' },
        detachedKey: 'node-detacher.variant.run/detachment-timestamp',
        dataPort: 443,
        graceMs: 30_000,
        attachGraceMs: 30_000,
        skewMs: 5_000,
      },
    },
  ])
})

for (const [what, line, message, at] of [
  ['a key that is no qualified name', 'attachedKey: a/b/c', /"a\/b\/c" is not the annotation of a detacher/, '12:22'],
  [
    'a key of the roll itself',
    'attachedKey: evenkeel.dev/record',
    /annotations of evenkeel.dev belong to the roll itself/,
    '12:22',
  ],
  [
    'a key that stands for two things',
    'attachedKey: node-detacher.variant.run/detached',
    /"attachedKey" is the same key as "key"/,
    '12:22',
  ],
  ['a grace out of bounds', 'grace: 2h', /"2h" is too long/, '12:16'],
  ['a skew out of bounds', 'skew: 6min', /"6min" is too long/, '12:15'],
] as const) {
  test(`${what} is refused where it stands`, () => {
    const finding = onlyFinding(file(...KEYS, `        ${line}`))
    assert.match(finding, message)
    assert.ok(finding.includes(` --> roll.yaml:${at}`), finding)
  })
}

test('a balancer of a detacher has neither instances nor a health endpoint beside it', () => {
  const beside = (line: string): string => onlyFinding(file(...KEYS, `      ${line}`))
  assert.match(
    beside('backends: [web]'),
    /"backends" beside "annotation": the roll sends its request to the detacher, and queries no balancer/,
  )
  assert.match(
    beside('healthEndpoint: {dataPort: 443}'),
    /"annotation" beside "healthEndpoint": only one may be written/,
  )
})
