import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unschedulable } from '../../../src/ground/kube/unschedulable.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { strandedVolumes } from '../../../src/roll/decide/drain/attached-volumes.ts'
import { classifyPod } from '../../../src/roll/decide/drain/classify-pod.ts'
import { podsPutBack } from '../../../src/roll/decide/drain/put-back.ts'
import { readyPods } from '../../../src/roll/decide/drain/ready-pods.ts'
import { replaced } from '../../../src/roll/decide/drain/replaced.ts'
import { drainState } from '../../../src/roll/decide/drain/stages.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import { aPod, aRecord, aSnapshot, aSpec, aWorkload, NEW_BOOT } from '../../support/roll-world.ts'

const CART = { matchLabels: { app: 'cart' }, matchExpressions: [] }
const DAEMON = { controller: { kind: 'DaemonSet', name: 'cni', uid: 'uid-cni' } } as const
const unmanaged = (change: Partial<Pod> = {}): Pod => {
  const { controller: _, ...pod } = aPod('bare', 'n1', change)
  return pod
}

const CLASSES: readonly (readonly [title: string, pod: Pod, drain: Partial<RollSpec['drain']>, verdict: object])[] = [
  ['a static pod stays', aPod('a', 'n1', { mirror: true }), {}, { kind: 'stays', why: 'mirror' }],
  ['the pod of a DaemonSet stays', aPod('a', 'n1', DAEMON), {}, { kind: 'stays', why: 'daemonSet' }],
  [
    'the pod of a DaemonSet that is named leaves last',
    aPod('a', 'n1', DAEMON),
    { daemonSets: [{ matchLabels: { app: 'x' }, matchExpressions: [] }, CART] },
    { kind: 'evict', stage: 3 },
  ],
  [
    'the pod of a DaemonSet that is not named stays',
    aPod('a', 'n1', DAEMON),
    { daemonSets: [{ matchLabels: { app: 'x' }, matchExpressions: [] }] },
    { kind: 'stays', why: 'daemonSet' },
  ],
  [
    'the pod of a DaemonSet that has ended leaves',
    aPod('a', 'n1', { ...DAEMON, phase: 'Succeeded' }),
    {},
    { kind: 'evict', stage: 2 },
  ],
  ['a pod with volumes leaves first', aPod('a', 'n1', { claims: ['data'] }), {}, { kind: 'evict', stage: 1 }],
  ['a pod that is named leaves first', aPod('a', 'n1'), { firstStage: CART }, { kind: 'evict', stage: 1 }],
  [
    'a pod that is not named leaves second',
    aPod('a', 'n1', { labels: {} }),
    { firstStage: CART },
    { kind: 'evict', stage: 2 },
  ],
  [
    'the pod of a NodeGuard leaves after all others, whatever else it is',
    aPod('a', 'n1', { labels: { app: 'cart', 'evenkeel.dev/guard': 'ceph' }, claims: ['data'], phase: 'Failed' }),
    { firstStage: CART },
    { kind: 'evict', stage: 4 },
  ],
  [
    'a label of a NodeGuard without a name says nothing',
    aPod('a', 'n1', { labels: { 'evenkeel.dev/guard': '' } }),
    {},
    { kind: 'evict', stage: 2 },
  ],
  ['a pod without a controller is refused', unmanaged(), {}, { kind: 'refused', why: 'unmanaged' }],
  [
    'a pod without a controller leaves where that is allowed',
    unmanaged(),
    { deleteUnmanaged: true },
    { kind: 'evict', stage: 2 },
  ],
  [
    'a pod without a controller that has ended leaves',
    unmanaged({ phase: 'Failed', usesEmptyDir: true }),
    {},
    { kind: 'evict', stage: 2 },
  ],
  [
    'a pod with an emptyDir is refused',
    aPod('a', 'n1', { usesEmptyDir: true }),
    {},
    { kind: 'refused', why: 'emptyDir' },
  ],
  [
    'a pod with an emptyDir leaves where that is allowed',
    aPod('a', 'n1', { usesEmptyDir: true }),
    { deleteEmptyDirData: true },
    { kind: 'evict', stage: 2 },
  ],
]

for (const [title, pod, drain, verdict] of CLASSES) {
  test(title, () => assert.deepEqual(classifyPod(pod, { ...aSpec().drain, ...drain }), verdict))
}

const names = (pods: readonly Pod[]): string => pods.map(({ name }) => name).join(' ')

test('the pods of the node are distinguished by stage, and those of other nodes are no matter', () => {
  const pods = [
    aPod('data', 'n1', { claims: ['data'] }),
    aPod('cart', 'n1'),
    aPod('cni', 'n1', { ...DAEMON, labels: { app: 'cni' } }),
    aPod('csi', 'n1', DAEMON),
    aPod('cache', 'n1', { usesEmptyDir: true }),
    aPod('elsewhere', 'n2'),
  ]
  const spec = aSpec({ drain: { ...aSpec().drain, daemonSets: [CART] } })
  const { left, refused } = drainState(aSnapshot({ pods, change: { spec } }))
  assert.deepEqual([names(left[1]), names(left[2]), names(left[3])], ['data', 'cart', 'csi'])
  assert.equal(names(refused), 'cache')
})

const EVICTED = { 'uid-old': { name: 'shop/old', stage: 2, workload: 'ReplicaSet shop/cart' } }
const PUT_BACK: readonly (readonly [
  title: string,
  evidence: Partial<Evidence>,
  pod: Partial<Pod>,
  putBack: boolean,
])[] = [
  ['a new pod of a workload that lost one here is put back', { evicted: EVICTED }, {}, true],
  ['a pod that was here from the beginning is not', { evicted: EVICTED, firstSeen: ['uid-new'] }, {}, false],
  ['a pod of a workload that lost none is not', { evicted: { 'uid-old': { name: 'shop/old', stage: 2 } } }, {}, false],
  [
    'a pod whose eviction was asked for is not',
    { evicted: EVICTED, evictions: { 'uid-new': { kind: 'throttled' } } },
    {},
    false,
  ],
  [
    'a pod that was evicted is not',
    { evicted: { ...EVICTED, 'uid-new': { name: 'shop/new', stage: 2, workload: 'ReplicaSet shop/cart' } } },
    {},
    false,
  ],
  ['a pod that may not be evicted is not', { evicted: EVICTED }, { usesEmptyDir: true }, false],
  [
    'a new pod of a Job that lost one here is put back',
    { evicted: { 'uid-old': { name: 'shop/old', stage: 2, controller: 'uid-job' } } },
    { controller: { kind: 'Job', name: 'batch', uid: 'uid-job' }, runsToEnd: true },
    true,
  ],
  [
    'a pod of the next Job is not',
    { evicted: { 'uid-old': { name: 'shop/old', stage: 2, controller: 'uid-job' } } },
    { controller: { kind: 'Job', name: 'batch', uid: 'uid-job-2' }, runsToEnd: true },
    false,
  ],
  [
    'a pod of an unknown controller is not',
    { evicted: EVICTED },
    { controller: { kind: 'ReplicaSet', name: 'x', uid: 'uid-x' } },
    false,
  ],
]

for (const [title, evidence, pod, putBack] of PUT_BACK) {
  test(`put back by its controller: ${title}`, () => {
    const pods = [aPod('new', 'n1', pod)]
    const s = aSnapshot({ node: { unschedulable: true }, evidence, pods, workloads: [aWorkload()] })
    const { left, refused } = drainState(s)
    assert.equal(names(podsPutBack(s)), putBack ? 'new' : '')
    assert.equal(left[2].length + refused.length, putBack ? 0 : 1)
  })
}

test('no pod counts as put back on a node that is not cordoned, was rebooted, or goes back as it was', () => {
  const given = (node: Partial<Node>) =>
    aSnapshot({
      node,
      record: aRecord(),
      evidence: { evicted: EVICTED },
      pods: [aPod('new', 'n1')],
      workloads: [aWorkload()],
    })
  const cordoned = given({ unschedulable: true })
  const verdict = { kind: 'held', keepOut: false, reasons: [] } as const
  const counted = [
    cordoned,
    given({}),
    given({ unschedulable: true, bootId: NEW_BOOT }),
    { ...cordoned, run: { ...cordoned.run, verdict } },
  ]
  assert.deepEqual(
    counted.map((s) => names(podsPutBack(s))),
    ['new', '', '', ''],
  )
})

test('a volume is stranded where it is attached here, a pod here had it, and none uses it any more', () => {
  const cluster = aSnapshot().cluster
  const attachment = (name: string, persistentVolumeName: string | undefined, nodeName = 'n1') => ({
    name,
    nodeName,
    attacher: 'csi',
    attached: true,
    ...(persistentVolumeName === undefined ? {} : { persistentVolumeName }),
  })
  const s = aSnapshot({
    evidence: { volumesSeen: ['pv-data', 'pv-ops', 'pv-far', 'pv-left'] },
    change: {
      cluster: {
        ...cluster,
        pods: [aPod('data', 'n1', { claims: ['data', 'unbound'] }), aPod('other', 'n2', { claims: ['far'] })],
        claims: [
          { namespace: 'shop', name: 'far', volumeName: 'pv-far' },
          { namespace: 'ops', name: 'data', volumeName: 'pv-ops' },
          { namespace: 'shop', name: 'data', volumeName: 'pv-data' },
        ],
        attachments: [
          attachment('a', 'pv-data'),
          attachment('b', 'pv-ops'),
          attachment('c', 'pv-far'),
          attachment('d', 'pv-left', 'n2'),
          attachment('e', undefined),
          attachment('f', 'pv-leaked'),
        ],
      },
    },
  })
  assert.deepEqual(
    strandedVolumes(s).map(({ name }) => name),
    ['b', 'c'],
  )
})

test('pods that are Ready are counted anew once the evictions are others', () => {
  const pods = [aPod('a', 'n1'), aPod('b', 'n2', { ready: false }), aPod('c', 'n2', { terminating: true })]
  const s = aSnapshot({ pods, workloads: [aWorkload()] })
  assert.equal(names(readyPods(s, aWorkload())), 'a')
  for (const kind of ['accepted', 'gone', 'replaced'] as const) {
    const leaving = { ...s, evidence: { ...s.evidence, evictions: { 'uid-a': { kind } } } }
    assert.equal(names(readyPods(leaving, aWorkload())), '')
  }
  const ofAnotherLane = { ...s, run: { ...s.run, leaving: new Set(['uid-a']) } }
  assert.deepEqual([names(readyPods(ofAnotherLane, aWorkload())), names(readyPods(s, aWorkload()))], ['', 'a'])
  const throttled = { ...s, evidence: { ...s.evidence, evictions: { 'uid-a': { kind: 'throttled' } as const } } }
  assert.equal(names(readyPods(throttled, aWorkload())), 'a')
})

const SHUT = '1 node(s) were unschedulable'

function answered(message: string, ready = 1, more: readonly Pod[] = [], desired = 2) {
  const record = aRecord({ workloads: { 'ReplicaSet shop/cart': 2 } })
  const { nodeName: _, ...pending } = aPod('cart-b', 'n1', {
    ready: false,
    phase: 'Pending',
    unschedulable: unschedulable(message),
  })
  const pods = [...Array.from({ length: ready }, (_, i) => aPod(`cart-${i}`, 'n2')), pending, ...more]
  const workload = aWorkload({ desired })
  const answer = replaced({ ...aSnapshot({ record, pods, workloads: [workload] }), record }, workload)
  return answer.kind === 'back'
    ? 'back'
    : `${answer.kind} ${answer.reason.code} ${answer.reason.object}: ${answer.reason.text}`
}

const ALONE = `0/3 nodes are available: ${SHUT}, 2 Insufficient cpu.`

test('a replacement says for which node it waits, and why it is Pending', () => {
  assert.equal(answered(ALONE), `onlyHere OnlyThisNodeCures shop/cart-b: shop/cart-b can only run on n1: ${ALONE}`)
  assert.equal(
    answered('no nodes'),
    'waiting ReplacementNotReady ReplicaSet shop/cart: ReplicaSet shop/cart has 1 ready of 2 recorded; no nodes',
  )
  assert.equal(answered(ALONE, 2), 'back')
  assert.equal(answered(ALONE, 1, [], 1), 'back')
})

const CURES: readonly (readonly [message: string, only: boolean])[] = [
  [ALONE, true],
  [`0/3 nodes are available: ${SHUT}, 1 Insufficient cpu, 1 Too many pods.`, true],
  ['0/3 nodes are available: 1 node(s) had untolerated taint {gpu: }, 2 Insufficient cpu.', false],
  [`0/12 nodes are available: ${SHUT}, 11 Insufficient memory.`, true],
  [`0/12 nodes are available: ${SHUT}, 10 Insufficient memory.`, false],
  [`x 0/3 nodes are available: ${SHUT}, 2 Insufficient cpu.`, false],
  [`0/3 nodes are available: ${SHUT}. preemption: 2 Insufficient cpu.`, false],
]

for (const [message, only] of CURES) {
  test(`a Pending pod ${only ? 'waits for this node alone' : 'may yet run elsewhere'}: ${message}`, () => {
    assert.equal(answered(message).startsWith('onlyHere'), only)
  })
}

test('a replacement that begins elsewhere is waited for, whatever another one says', () => {
  const starting = aPod('cart-c', 'n3', { ready: false })
  assert.match(answered(ALONE, 1, [starting]), /^waiting/)
  assert.match(answered(ALONE, 1, [{ ...starting, terminating: true }]), /^onlyHere/)
})
