import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PodObject } from '../../../src/sim/actors/pod-object.ts'
import { removalOrder } from '../../../src/sim/actors/removal-order.ts'

const NOW_MS = Date.parse('2026-01-01T10:00:00Z')
const ago = (seconds: number): string => new Date(NOW_MS - seconds * 1_000).toISOString()

interface Drawn {
  readonly node?: string
  readonly phase?: string
  /** For how many seconds; undefined: it is not. */
  readonly readyFor?: number | undefined
  readonly cost?: string
  readonly restarts?: number
  readonly age?: number
  readonly going?: boolean
}

function pod(name: string, drawn: Drawn = {}): PodObject {
  const { node = `node-of-${name}`, phase = 'Running', readyFor, cost, restarts = 0, age = 7_200, going } = drawn
  const ready = 'readyFor' in drawn && readyFor === undefined ? undefined : ago(readyFor ?? 3_600)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: name,
      namespace: 'default',
      resourceVersion: '1',
      creationTimestamp: ago(age),
      ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
      ...(going === true ? { deletionTimestamp: ago(1) } : {}),
    },
    spec: { nodeName: node, containers: [{ name: 'app' }] },
    status: {
      phase,
      conditions: ready === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: ready }],
      containerStatuses: [{ name: 'app', ready: true, restartCount: restarts, containerID: 'x' }],
    },
  }
}

const names = (pods: readonly PodObject[], related: readonly PodObject[] = pods): string =>
  removalOrder(pods, { related, nowMs: NOW_MS })
    .map(({ metadata }) => metadata.name)
    .join(' ')

/** The pods as they are given are in the wrong order, so that a rule that is missing leaves them there. */
const RULES: readonly (readonly [rule: string, pods: readonly PodObject[], order: string])[] = [
  [
    'without a node before all others, though its deletion costs more',
    [pod('a', { readyFor: undefined }), pod('b', { node: '', cost: '9' })],
    'b a',
  ],
  [
    'Pending before Unknown before Running, though it is Ready',
    [pod('a', { readyFor: undefined }), pod('b', { phase: 'Unknown' }), pod('c', { phase: 'Pending' })],
    'c b a',
  ],
  ['not Ready before Ready, whatever the cost', [pod('a', { cost: '-9' }), pod('b', { readyFor: undefined })], 'b a'],
  [
    'the cheaper first, and what is no number costs nothing',
    [pod('a', { cost: '5' }), pod('b', { cost: '+9' }), pod('c', { cost: '-2147483648' }), pod('d', { cost: '-1' })],
    'c d b a',
  ],
  [
    'more pods on its node before fewer, though it was Ready for longer',
    [pod('a', { readyFor: 1 }), pod('b', { node: 'n1' }), pod('c', { node: 'n1' })],
    'b c a',
  ],
  [
    'Ready for less long first, though it restarted less',
    [pod('a', { readyFor: 3_600, restarts: 3 }), pod('b', { readyFor: 60 })],
    'b a',
  ],
  [
    'Ready for about as long, by power of two: the lower uid first',
    [pod('b', { readyFor: 2_400 }), pod('a', { readyFor: 3_600 })],
    'a b',
  ],
  ['more restarts before fewer, though it is older', [pod('a', { age: 60 }), pod('b', { restarts: 1 })], 'b a'],
  ['the younger first', [pod('a', { readyFor: undefined }), pod('b', { readyFor: undefined, age: 60 })], 'b a'],
  [
    'about as old, by power of two: the lower uid first',
    [pod('b', { readyFor: undefined, age: 5_000 }), pod('a', { readyFor: undefined })],
    'a b',
  ],
]

for (const [rule, pods, order] of RULES) {
  test(`a ReplicaSet that shrinks removes first: ${rule}`, () => assert.equal(names(pods), order))
}

test('on a node, pods of other ReplicaSets of the Deployment count, and not those that go or have ended', () => {
  const pods = [pod('a', { node: 'n1' }), pod('b', { node: 'n2' })]
  assert.equal(names(pods, [...pods, pod('other', { node: 'n2' })]), 'b a')
  const leaving = [pod('other', { node: 'n2', going: true }), pod('ended', { node: 'n2', phase: 'Failed' })]
  assert.equal(names(pods, [...pods, ...leaving]), 'a b')
  assert.equal(names(pods, []), 'a b')
})
