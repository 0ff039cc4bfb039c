import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNodeReading } from '../../../src/agent/io/parse-node-reading.ts'
import { parseNode } from '../../../src/ground/kube/parse-node.ts'
import { parsePod } from '../../../src/ground/kube/parse-pod.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'

const METADATA = { name: 'n1', uid: 'u1', resourceVersion: '5' }
const OURS = 'Even Keel, run 20260101T000000Z-0001'

const of = (conditions: readonly object[]) => {
  const object = new Untrusted({ metadata: METADATA, status: { conditions } }, 'node')
  const { lifecycle = [], announced = {}, plannedByOthers = false, shuttingDown = false } = parseNode(object)
  return { lifecycle, announced, plannedByOthers, shuttingDown, agent: parseNodeReading(object).lifecycle }
}

const NOTHING = { lifecycle: [], announced: {}, plannedByOthers: false, shuttingDown: false, agent: [] }
const condition = (type: string, message = '', status = 'True') => ({ type, status, message })
const run = '20260101T000000Z-0001'

const ROWS: readonly (readonly [title: string, condition: object, parsed: Partial<ReturnType<typeof of>>])[] = [
  [
    'a drain of another program',
    condition('DrainInProgress', 'by ops'),
    { lifecycle: ['DrainInProgress'], agent: ['DrainInProgress'] },
  ],
  ['a drain of a run of Even Keel', condition('DrainInProgress', OURS), { announced: { DrainInProgress: run } }],
  ['one that is over', condition('DrainInProgress', OURS, 'False'), {}],
  ['a plan of another program', condition('MaintenancePlanned'), { plannedByOthers: true }],
  ['a plan of a run of Even Keel', condition('MaintenancePlanned', OURS), { announced: { MaintenancePlanned: run } }],
  ['a kubelet that shuts the machine down', condition('GracefulNodeShutdownInProgress'), { shuttingDown: true }],
  ['one that says it is a run of ours', condition('GracefulNodeShutdownInProgress', OURS), { shuttingDown: true }],
  [
    'a message that only begins so',
    condition('Drained', `${OURS}; kubectl delete node`),
    { lifecycle: ['Drained'], agent: ['Drained'] },
  ],
  [
    'a run with signs that no run has',
    condition('Drained', 'Even Keel, run $(reboot)'),
    { lifecycle: ['Drained'], agent: ['Drained'] },
  ],
]

for (const [title, given, parsed] of ROWS) {
  test(`conditions of a node: ${title}`, () => assert.deepEqual(of([given]), { ...NOTHING, ...parsed }))
}

test('a pod is not safe to evict by the words of the Cluster Autoscaler and of Karpenter alone', () => {
  const mark = (annotations: Record<string, string>) => {
    const object = { metadata: { ...METADATA, namespace: 'shop', annotations }, spec: {}, status: {} }
    return parsePod(new Untrusted(object, 'pod')).notSafeToEvict
  }
  const safe = 'cluster-autoscaler.kubernetes.io/safe-to-evict'
  assert.deepEqual([mark({}), mark({ [safe]: 'true' }), mark({ [safe]: 'False' })], [undefined, undefined, undefined])
  assert.deepEqual(mark({ [safe]: 'false' }), [safe])
  assert.deepEqual(mark({ 'karpenter.sh/do-not-disrupt': 'true', [safe]: 'false' }), [
    safe,
    'karpenter.sh/do-not-disrupt',
  ])
  for (const key of ['karpenter.sh/do-not-disrupt', 'karpenter.sh/do-not-evict']) {
    assert.deepEqual(mark({ [key]: 'true' }), [key])
    assert.equal(mark({ [key]: 'false' }), undefined)
  }
})
