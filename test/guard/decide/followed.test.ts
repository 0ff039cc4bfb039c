import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { followedBy } from '../../../src/guard/decide/followed.ts'
import { aDaemonSet, aNode, taint } from '../../support/guard/guard-objects.ts'
import { readGuard } from './read-guard.ts'

const followed = (podSpec: object, nodes: readonly Node[] = []) =>
  followedBy(readGuard({}), { daemonSet: aDaemonSet(podSpec), nodes })

const EVERY_TAINT = { tolerations: [{ operator: 'Exists' }] }
const ON_SSD = { nodeSelector: { disk: 'ssd' } }
const IN_A = {
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
      },
    },
  },
}
const labelled = (labels: Readonly<Record<string, string>>) => aNode('n1', { labels })
const tainted = (...taints: readonly ReturnType<typeof taint>[]) => aNode('n1', { taints })

const NODES: readonly (readonly [title: string, podSpec: object, node: Node, kind: 'Run' | 'Keep' | 'Leave'])[] = [
  ['any node', {}, aNode('n1'), 'Run'],
  ['one with the labels of the selector', ON_SSD, labelled({ disk: 'ssd' }), 'Run'],
  ['one without them', ON_SSD, labelled({ disk: 'hdd' }), 'Leave'],
  ['one that the affinity takes', IN_A, labelled({ zone: 'a' }), 'Run'],
  ['one that the affinity leaves out', IN_A, labelled({ zone: 'b' }), 'Leave'],
  ['one that is cordoned', {}, aNode('n1', { unschedulable: true }), 'Run'],
  ['one that is not Ready', {}, aNode('n1', { ready: 'Unknown' }), 'Run'],
  ['one with a taint that is not tolerated takes no new one', {}, tainted(taint('gpu')), 'Keep'],
  ['one whose taint ends pods', {}, tainted(taint('gpu', 'NoExecute')), 'Leave'],
  [
    'one with a taint that is tolerated',
    { tolerations: [{ key: 'gpu', operator: 'Exists' }] },
    tainted(taint('gpu')),
    'Run',
  ],
  ['one whose Node is being deleted keeps its own', {}, aNode('n1', { deleting: true }), 'Keep'],
  ['one that an autoscaler removes keeps its own', {}, tainted(taint('ToBeDeletedByClusterAutoscaler')), 'Keep'],
  ['one that Karpenter disrupts keeps its own', {}, tainted(taint('karpenter.sh/disrupted')), 'Keep'],
  ['one that AWS takes keeps its own', {}, tainted(taint('aws-node-termination-handler/spot-itn')), 'Keep'],
  ['one that is removed and that the selector leaves out', ON_SSD, aNode('n1', { deleting: true }), 'Leave'],
]

for (const [title, podSpec, node, kind] of NODES) {
  test(`which nodes have a guard: ${title}: ${kind}`, () => {
    assert.equal(followed(podSpec).judge(node), kind)
  })
}

/** As `key:effect`, without those that every guard has. */
function tolerationsOf(podSpec: object, nodes: readonly Node[] = []): readonly string[] {
  return followed(podSpec, nodes)
    .placement.tolerations.map(({ key, effect = '' }) => `${key}:${effect}`)
    .filter((text) => !/^node\.kubernetes\.io\/(not-ready|unreachable|(disk|memory|pid)-pressure):/.test(text))
}

const gpu = taint('gpu')
const noisy = taint('noisy', 'NoExecute')
const LIFECYCLE = [
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/out-of-service',
  'node.cloudprovider.kubernetes.io/shutdown',
  'karpenter.sh/disrupted',
  'aws-node-termination-handler/spot-itn',
  'ToBeDeletedByClusterAutoscaler',
  'DeletionCandidateOfClusterAutoscaler',
  'evenkeel.dev/to-be-rolled',
]

test('a guard tolerates what the DaemonSet tolerates by name', () => {
  const tolerations = [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }]
  assert.deepEqual(tolerationsOf({ tolerations }), ['gpu:NoSchedule'])
})

test('a toleration of every taint becomes one for each taint that the nodes have', () => {
  const nodes = [aNode('n1', { taints: [gpu] }), aNode('n2', { taints: [noisy, gpu] })]
  assert.deepEqual(tolerationsOf(EVERY_TAINT, nodes), ['gpu:NoSchedule', 'noisy:NoExecute'])
})

test('a toleration of every taint of an effect becomes one for each taint of that effect', () => {
  const nodes = [aNode('n1', { taints: [noisy, taint('slow', 'PreferNoSchedule')] }), aNode('n2', { taints: [gpu] })]
  assert.deepEqual(tolerationsOf({ tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] }, nodes), [
    'noisy:NoExecute',
  ])
})

test('what is tolerated stays the same while the one node with a taint is being removed, so that no guard is replaced', () => {
  const [there, going] = [aNode('n1', { taints: [gpu] }), aNode('n1', { taints: [gpu], deleting: true })]
  assert.deepEqual(tolerationsOf(EVERY_TAINT, [going]), tolerationsOf(EVERY_TAINT, [there]))
})

for (const key of LIFECYCLE) {
  test(`the taint ${key} is never tolerated, whether the DaemonSet names it or tolerates every taint`, () => {
    const nodes = [aNode('n1', { taints: [taint(key)] })]
    assert.deepEqual(tolerationsOf({ tolerations: [{ key, operator: 'Exists' }] }, nodes), [])
    assert.deepEqual(tolerationsOf(EVERY_TAINT, nodes), [])
  })
}

test('a guard tolerates that its node is not Ready, so that a node that flaps keeps it', () => {
  const keys = followed({}).placement.tolerations.map(({ key }) => key)
  assert.deepEqual(keys.slice(0, 2), ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])
})

const shortages = (spec: object): readonly unknown[] =>
  followedBy(readGuard({ spec: { ...spec } }), { daemonSet: aDaemonSet(EVERY_TAINT), nodes: [] })
    .placement.tolerations.map(({ key }) => key)
    .filter((key) => String(key).endsWith('-pressure'))

test('only critical guards tolerate a node that is short of disk or process ids, since its kubelet rejects all others', () => {
  assert.deepEqual(shortages({}), ['node.kubernetes.io/memory-pressure'])
  const critical = [
    'node.kubernetes.io/disk-pressure',
    'node.kubernetes.io/pid-pressure',
    'node.kubernetes.io/memory-pressure',
  ]
  assert.deepEqual(shortages({ priorityClassName: 'system-node-critical' }), critical)
  const template = { spec: { priorityClassName: 'system-cluster-critical', containers: [] } }
  assert.deepEqual(shortages({ template }), critical)
  assert.deepEqual(shortages({ template, priorityClassName: 'high' }), ['node.kubernetes.io/memory-pressure'])
})

for (const [title, daemonSet] of [
  ['is gone', undefined],
  ['is being deleted', { ...aDaemonSet(), deleting: true }],
] as const) {
  test(`where the DaemonSet ${title}, guards stay by Keep and go by Remove, and none is made`, () => {
    const kinds = ['Keep', 'Remove'].map((onTargetGone) => {
      const { isGone, judge } = followedBy(readGuard({ spec: { onTargetGone } }), { daemonSet, nodes: [] })
      return [isGone, judge(aNode('n1'))]
    })
    assert.deepEqual(kinds, [
      [true, 'Keep'],
      [true, 'Leave'],
    ])
  })
}

test('a guard that follows labels of nodes is on those alone, and never loses its target', () => {
  const guard = readGuard({ spec: { follow: { nodeSelector: { disk: 'ssd' } } } })
  const { isGone, judge, placement } = followedBy(guard, { daemonSet: undefined, nodes: [] })
  assert.deepEqual(
    [isGone, judge(labelled({ disk: 'ssd' })), judge(labelled({})), placement.nodeSelector],
    [false, 'Run', 'Leave', { disk: 'ssd' }],
  )
})

test('what is followed is the same object for as long as nothing of it changes', () => {
  const guard = readGuard({})
  const one = followedBy(guard, { daemonSet: aDaemonSet(), nodes: [] })
  assert.equal(followedBy(guard, { daemonSet: aDaemonSet(), nodes: [aNode('n1')] }), one)
  assert.notEqual(followedBy(guard, { daemonSet: aDaemonSet(ON_SSD), nodes: [] }), one)
})
