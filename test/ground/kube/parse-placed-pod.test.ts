import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePlacedPod } from '../../../src/ground/kube/parse-placed-pod.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'

type Fields = Readonly<Record<string, unknown>>

const placed = (spec: Fields) =>
  parsePlacedPod(
    new Untrusted({ metadata: { namespace: 'shop', name: 'web', uid: 'u1', resourceVersion: '7' }, spec }, 'pod'),
  )

const asking = (cpu: string, memory = '0', more: Fields = {}): Fields => ({
  name: 'c',
  resources: { requests: { cpu, memory } },
  ...more,
})

const REQUESTS: readonly (readonly [title: string, spec: Fields, cpuMilli: number, memoryBytes: number])[] = [
  ['containers are added up', { containers: [asking('100m', '1Mi'), asking('1.9', '1Mi')] }, 2000, 2 * 2 ** 20],
  ['a pod that asks for nothing', { containers: [{ name: 'c' }] }, 0, 0],
  ['a limit without a request', { containers: [{ name: 'c', resources: { limits: { cpu: '2' } } }] }, 2000, 0],
  [
    'an init container that asks for more than all others',
    { initContainers: [asking('3'), asking('1')], containers: [asking('500m')] },
    3000,
    0,
  ],
  [
    'an init container that runs on beside the others',
    { initContainers: [asking('1', '0', { restartPolicy: 'Always' }), asking('3')], containers: [asking('500m')] },
    4000,
    0,
  ],
  [
    'what the pod asks for as a whole, in place of its containers',
    { resources: { requests: { cpu: '4' } }, containers: [asking('500m', '1Mi')] },
    4000,
    2 ** 20,
  ],
  ['the overhead of its runtime', { overhead: { cpu: '250m' }, containers: [asking('1')] }, 1250, 0],
]

for (const [title, spec, cpuMilli, memoryBytes] of REQUESTS) {
  test(`requests of a pod: ${title}`, () => {
    assert.deepEqual(placed(spec).placement?.requests, { cpuMilli, memoryBytes })
  })
}

const TERM = { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } } }
const SELECTOR = { matchLabels: { app: 'web' }, matchExpressions: [] }
const required = (...terms: readonly Fields[]): Fields => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  containers: [],
})

test('a term of anti-affinity is of the own namespace, of those that it names, or of all', () => {
  const spec = required(TERM, { ...TERM, namespaces: ['a', 'b'] }, { ...TERM, namespaceSelector: {} })
  assert.deepEqual(placed(spec).placement?.apart, [
    { topologyKey: 'zone', selector: SELECTOR, namespaces: ['shop'] },
    { topologyKey: 'zone', selector: SELECTOR, namespaces: ['a', 'b'] },
    { topologyKey: 'zone', selector: SELECTOR },
  ])
})

test('a term that selects namespaces by their labels is left out', () => {
  const spec = required({ ...TERM, namespaceSelector: { matchLabels: { team: 'a' } } })
  assert.deepEqual(placed(spec).placement?.apart, [])
})

test('only a spread that keeps pods from nodes counts, and only ports of the node', () => {
  const { placement } = placed({
    topologySpreadConstraints: [
      { ...TERM, maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' },
      { ...TERM, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
    ],
    containers: [
      {
        name: 'c',
        ports: [{ containerPort: 1, hostPort: 80 }, { containerPort: 2 }, { hostPort: 53, protocol: 'UDP' }],
      },
    ],
  })
  assert.deepEqual(placement?.spread, [{ topologyKey: 'zone', maxSkew: 2, selector: SELECTOR }])
  assert.deepEqual(placement?.hostPorts, ['80/TCP', '53/UDP'])
})

test('a pod with a placement that makes no sense is there without it', () => {
  const pod = placed({ tolerations: [{ operator: 'Sometimes' }], containers: [] })
  assert.deepEqual([pod.name, pod.placement], ['web', undefined])
})
