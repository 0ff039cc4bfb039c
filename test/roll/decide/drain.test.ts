import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unschedulable } from '../../../src/ground/kube/unschedulable.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { buildRecord } from '../../../src/roll/decide/build-record.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { rememberOutcome } from '../../../src/roll/decide/remember-outcome.ts'
import { formatRecord, OUT_TAINT, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { out } from '../../support/roll-stages.ts'
import { aNode, aPod, aRecord, aSnapshot, aSpec, aWorkload, detachedEvidence } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const CART = 'ReplicaSet shop/cart'
const record = aRecord({ workloads: { [CART]: 3 } })
const workloads = [aWorkload({ desired: 3 })]

/** n1 drains; `gone` were evicted from it already. */
function draining(pods: readonly Pod[], gone: readonly string[] = []): NodeSnapshot {
  const evicted = Object.fromEntries(gone.map((name) => [`uid-${name}`, { name, stage: 2, workload: CART }]))
  const firstSeen = [...gone.map((name) => `uid-${name}`), ...pods.map(({ uid }) => uid)]
  return aSnapshot({ ...out, record, workloads, pods, evidence: { ...detachedEvidence(), evicted, firstSeen } })
}

const evictions = (s: NodeSnapshot): readonly string[] => {
  const decision = decide(s)
  if (decision.kind !== 'act') return [shortDecision(decision)]
  return decision.actions.map((action) => (action.kind === 'evict' ? action.name : action.kind))
}

test('the next pod of a workload leaves once the last one is replaced, and not before', () => {
  const elsewhere = [aPod('cart-c', 'n2')]
  const here = [aPod('cart-b', 'n1')]
  const replacement = aPod('cart-d', 'n3', { ready: false })
  assert.deepEqual(evictions(draining([...here, ...elsewhere], ['cart-a'])), ['hold drain: ReplacementNotReady'])
  assert.deepEqual(evictions(draining([...here, ...elsewhere, replacement], ['cart-a'])), [
    'hold drain: ReplacementNotReady',
  ])
  const ready = { ...replacement, ready: true }
  assert.deepEqual(evictions(draining([...here, ...elsewhere, ready], ['cart-a'])), ['cart-b'])
  const withVolume = aPod('cart-b', 'n1', { claims: ['data-b'] })
  assert.deepEqual(evictions(draining([withVolume, ...elsewhere, replacement], ['cart-a'])), [
    'hold drain: ReplacementNotReady',
  ])
  assert.deepEqual(evictions(draining([withVolume, ...elsewhere, ready], ['cart-a'])), ['cart-b'])
})

test('a pod that its controller put back goes down with the node, and is not evicted again and again', () => {
  const elsewhere = [aPod('cart-c', 'n2'), aPod('cart-d', 'n3'), aPod('cart-e', 'n3')]
  const s = draining(elsewhere, ['cart-a'])
  const pods = [...elsewhere, aPod('cart-b', 'n1')]
  assert.deepEqual(evictions({ ...s, cluster: { ...s.cluster, pods } }), ['writeIntent'])
})

const TIED = { nodeSelector: { 'metadata.name': 'n1' } }

/** cart wants two, both of which were on n1. */
const PUT_BACK: readonly (readonly [title: string, gone: readonly string[], pods: readonly Pod[], decided: string])[] =
  [
    [
      'is no reason for the next one to leave',
      ['cart-a'],
      [aPod('cart-b', 'n1'), aPod('cart-c', 'n1')],
      'hold drain: ReplacementNotReady',
    ],
    [
      'does not count before it is Ready either',
      ['cart-a'],
      [aPod('cart-b', 'n1'), aPod('cart-c', 'n1', { ready: false })],
      'hold drain: ReplacementNotReady',
    ],
    [
      'does not go down together with another one of its workload',
      ['cart-a', 'cart-b'],
      [aPod('cart-c', 'n1'), aPod('cart-d', 'n1')],
      'hold drain: ReplacementNotReady',
    ],
    [
      'counts where no other node can run it, as a pod of a DaemonSet does',
      ['cart-a'],
      [aPod('cart-b', 'n1', TIED), aPod('cart-c', 'n1', TIED)],
      'cart-b',
    ],
    [
      'goes down with the node where the others serve elsewhere',
      ['cart-a', 'cart-b'],
      [aPod('cart-c', 'n1'), aPod('cart-d', 'n2')],
      'writeIntent',
    ],
  ]

for (const [title, gone, pods, decided] of PUT_BACK) {
  test(`a pod that was put back on the node that is drained ${title}`, () => {
    const s = draining([], gone)
    const two = { ...aRecord({ workloads: { [CART]: 2 } }) }
    const { current } = aSnapshot({ ...out, record: two })
    const firstSeen = ['uid-cart-a', 'uid-cart-b']
    assert.deepEqual(
      evictions({ ...s, current, cluster: { ...s.cluster, pods }, evidence: { ...s.evidence, firstSeen } }),
      [decided],
    )
  })
}

test('a pod that was put back on a node of another lane counts once that node is back', () => {
  const s = draining([aPod('cart-a', 'n1'), aPod('cart-b', 'n3'), aPod('cart-c', 'n2')])
  const beside = { node: 'n2', goesFirst: true, isLeaving: true }
  const on = (putBack: readonly string[]) => evictions({ ...s, run: { ...s.run, beside: [{ ...beside, putBack }] } })
  assert.deepEqual([on(['uid-cart-c']), on([])], [['hold drain: ReplacementNotReady'], ['cart-a']])
})

test('a workload of which another lane took a pod before the node was recorded is as strong as that lane has recorded it', () => {
  const s = draining([aPod('cart-a', 'n1'), aPod('cart-c', 'n3', { ready: false })])
  const { current } = aSnapshot({ ...out, record: aRecord({ workloads: { [CART]: 1 } }) })
  const recordedBy = (run: string, beside: boolean) => {
    const record = formatRecord(aRecord({ run, workloads: { [CART]: 2 } }))
    const n2 = aNode('n2', { annotations: { [RECORD_ANNOTATION]: record } })
    const lanes = beside ? { beside: [{ node: 'n2', goesFirst: true, isLeaving: true }] } : {}
    const budget = { limit: { kind: 'count', count: 2 }, cordons: 'unknown', slots: [] } as const
    const cluster = { ...s.cluster, nodes: [current.node, n2, aNode('n3')] }
    return evictions({ ...s, current, cluster, budget, run: { ...s.run, ...lanes } })
  }
  assert.deepEqual(recordedBy('run-1', true), ['hold drain: ReplacementNotReady'])
  assert.deepEqual(recordedBy('run-1', false), ['cart-a'], 'that lane is through')
  assert.deepEqual(recordedBy('run-2', true), ['cart-a'], 'it bears the record of another run')
})

test('an empty node is rebooted only once what left it is back to strength elsewhere', () => {
  const pods = [aPod('cart-b', 'n2'), aPod('cart-c', 'n3')]
  assert.deepEqual(evictions(draining(pods, ['cart-a'])), ['hold drain: ReplacementNotReady'])
  assert.deepEqual(evictions(draining([...pods, aPod('cart-d', 'n3')], ['cart-a'])), ['writeIntent'])
})

test('a pod that is on its way out is waited for and not evicted again', () => {
  assert.deepEqual(evictions(draining([aPod('cart-a', 'n1', { terminating: true })])), ['hold drain: PodLeaving'])
  const s = draining([aPod('cart-a', 'n1')])
  const answered = { 'uid-cart-a': { kind: 'accepted' } } as const
  assert.deepEqual(evictions({ ...s, evidence: { ...s.evidence, evictions: answered } }), ['hold drain: PodLeaving'])
})

for (const kind of ['accepted', 'gone', 'replaced'] as const) {
  test(`a pod whose eviction was ${kind} counts no more, though it is still shown as ready`, () => {
    const pods = [aPod('cart-a', 'n1'), aPod('cart-b', 'n1'), aPod('cart-c', 'n2')]
    const s = draining(pods)
    assert.deepEqual(evictions(s), ['cart-a'])
    const answered = { ...s, evidence: { ...s.evidence, evictions: { 'uid-cart-a': { kind } } } }
    assert.deepEqual(evictions(answered), ['hold drain: PodLeaving ReplacementNotReady'])
    const replacement = [...pods, aPod('cart-d', 'n3')]
    assert.deepEqual(evictions({ ...answered, cluster: { ...s.cluster, pods: replacement } }), ['cart-b'])
  })
}

const WEB = {
  controller: { kind: 'ReplicationController', name: 'web', uid: 'uid-web' },
  labels: { app: 'web' },
} as const
const KRUISE = { kind: 'StatefulSet', name: 'web', uid: 'uid-web', apiVersion: 'apps.kruise.io/v1beta1' } as const
const ONE_BY_ONE: readonly (readonly [title: string, change: Partial<Pod>, first: readonly string[]])[] = [
  ['a ReplicationController', WEB, ['web-a']],
  ['a StatefulSet of another group', { ...WEB, controller: KRUISE }, ['web-a']],
  ['a Job', { ...WEB, runsToEnd: true }, ['web-a', 'web-b']],
]

for (const [title, change, first] of ONE_BY_ONE) {
  const isServing = first.length === 1
  test(`pods of ${title} leave ${isServing ? 'one at a time, each once the last is replaced' : 'together, and nothing is waited for'}`, () => {
    const pods = ['web-a', 'web-b'].map((name) => aPod(name, 'n1', change))
    const recorded = { ...draining(pods), current: aSnapshot({ ...out, record: aRecord({ workloads: {} }) }).current }
    const { workloads: counted } = buildRecord(recorded)
    const of = (here: readonly Pod[]) => {
      const s = aSnapshot({
        ...out,
        record: aRecord({ workloads: counted }),
        pods: here,
        workloads,
        evidence: detachedEvidence(),
      })
      return { ...s, evidence: { ...s.evidence, firstSeen: ['uid-web-a', 'uid-web-b'] } }
    }
    assert.deepEqual(evictions(of(pods)), first)
    const action = { kind: 'evict', node: 'n1', namespace: 'shop', name: 'web-a', uid: 'uid-web-a', stage: 2 } as const
    const gone = rememberOutcome(of(pods), action, { ok: true, eviction: { kind: 'accepted' } })
    const starting = aPod('web-c', 'n2', { ...change, ready: false })
    const then = (here: readonly Pod[]) => evictions({ ...of(here), evidence: gone })
    const waits = isServing ? ['hold drain: ReplacementNotReady'] : ['writeIntent']
    assert.deepEqual(then([aPod('web-d', 'n3', change)]), waits)
    assert.deepEqual(then([aPod('web-d', 'n3', change), starting]), waits)
    assert.deepEqual(then([aPod('web-d', 'n3', change), { ...starting, ready: true }]), ['writeIntent'])
  })
}

const SHUT = '1 node(s) were unschedulable'
const TWO_SHUT = '2 node(s) were unschedulable'
const BOUND = "node(s) didn't match PersistentVolume's node affinity"
const NOT_BESIDE = "node(s) didn't match pod affinity rules"
const AWAY_FROM = "node(s) didn't match pod anti-affinity rules"

/** cart-a has left n1, and its replacement has no node. */
const MAY_FOLLOW: readonly (readonly [
  title: string,
  given: { readonly why: string; readonly elsewhere?: readonly Pod[]; readonly n3?: Partial<Node> },
  decided: string,
])[] = [
  ['waits while there is no room, which time may cure', { why: `${SHUT}, 2 Insufficient cpu` }, 'waits'],
  [
    'waits while other nodes have all volumes that they may have',
    { why: `${SHUT}, 2 node(s) exceed max volume count` },
    'waits',
  ],
  [
    'waits while another node is not Ready, and pods are kept off it for that time',
    {
      why: `${SHUT}, 1 node(s) had untolerated taint(s), 1 ${BOUND}`,
      n3: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
    },
    'waits',
  ],
  [
    'waits while another node has a taint that goes by itself',
    {
      why: `${SHUT}, 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }, 1 ${BOUND}`,
      n3: { taints: [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }] },
    },
    'waits',
  ],
  [
    'leaves where no other node can ever take it',
    { why: `${SHUT}, 1 ${BOUND}, 1 node(s) had untolerated taint(s)` },
    'leaves',
  ],
  [
    'waits where the other nodes lack the pod that it is to be beside, which time may bring',
    { why: `${SHUT}, 2 ${NOT_BESIDE}`, elsewhere: [aPod('cart-c', 'n2')] },
    'waits',
  ],
  ...[AWAY_FROM, "node(s) didn't match pod topology spread constraints"].flatMap((why): typeof MAY_FOLLOW => [
    [`waits as the last one where pods keep it from the other nodes: ${why}`, { why: `${SHUT}, 2 ${why}` }, 'waits'],
    [
      `leaves where pods keep it from the other nodes and a third one serves: ${why}`,
      { why: `${SHUT}, 2 ${why}`, elsewhere: [aPod('cart-c', 'n2')] },
      'leaves',
    ],
  ]),
  ['waits as the last one where another cordoned node might take it', { why: `${TWO_SHUT}, 1 ${BOUND}` }, 'waits'],
  [
    'leaves where another cordoned node might take it and a third one serves',
    { why: `${TWO_SHUT}, 1 ${BOUND}`, elsewhere: [aPod('cart-c', 'n2')] },
    'leaves',
  ],
]

for (const [title, { why, elsewhere = [], n3 = {} }, decided] of MAY_FOLLOW) {
  test(`a pod whose workload has a replacement without a node ${title}`, () => {
    const { nodeName: _, ...pending } = aPod('cart-d', 'n1', {
      ready: false,
      phase: 'Pending',
      unschedulable: unschedulable(`0/3 nodes are available: ${why}.`),
    })
    const s = draining([aPod('cart-b', 'n1'), pending, ...elsewhere], ['cart-a'])
    const nodes = s.cluster.nodes.map((node) => (node.name === 'n3' ? { ...node, ...n3 } : node))
    const said = evictions({ ...s, cluster: { ...s.cluster, nodes } })
    assert.deepEqual(said, [decided === 'leaves' ? 'cart-b' : 'hold drain: ReplacementNotReady'])
  })
}

const AFTER_ALL: readonly (readonly [title: string, why: string, decided: string])[] = [
  ['goes down where the replacement finds no room elsewhere', `${SHUT}, 2 Insufficient cpu`, 'writeIntent'],
  ['goes down where the other nodes lack the pod that it is to be beside', `${SHUT}, 2 ${NOT_BESIDE}`, 'writeIntent'],
  [
    'waits where a second cordoned node might have the room',
    `${TWO_SHUT}, 1 Insufficient cpu`,
    'hold drain: ReplacementNotReady',
  ],
  [
    'goes down where two nodes are cordoned, and no other one can ever take the pod',
    `${TWO_SHUT}, 1 ${BOUND}`,
    'writeIntent',
  ],
]

for (const [title, why, decided] of AFTER_ALL) {
  test(`an empty node ${title}`, () => {
    const { nodeName: _, ...pending } = aPod('cart-d', 'n1', {
      ready: false,
      phase: 'Pending',
      unschedulable: unschedulable(`0/3 nodes are available: ${why}.`),
    })
    assert.deepEqual(evictions(draining([pending, aPod('cart-b', 'n2')], ['cart-a'])), [decided])
  })
}

for (const recorded of [0, 1, 3]) {
  test(`pods of a workload of which ${recorded} of 3 were Ready at the record leave one at a time once they are Ready`, () => {
    const pods = ['cart-a', 'cart-b', 'cart-c'].map((name) => aPod(name, 'n1'))
    const { current } = aSnapshot({ ...out, record: aRecord({ workloads: { [CART]: recorded } }) })
    const s = { ...draining(pods), current }
    assert.deepEqual(evictions(s), ['cart-a'])
    const action = {
      kind: 'evict',
      node: 'n1',
      namespace: 'shop',
      name: 'cart-a',
      uid: 'uid-cart-a',
      stage: 2,
    } as const
    const evidence = rememberOutcome(s, action, { ok: true, eviction: { kind: 'accepted' } })
    const left = pods.map((pod) => ({ ...pod, terminating: pod.name === 'cart-a' }))
    const then = { ...s, evidence, cluster: { ...s.cluster, pods: left } }
    assert.deepEqual(evictions(then), ['hold drain: ReplacementNotReady'])
    assert.deepEqual(evictions({ ...then, cluster: { ...s.cluster, pods: [...left, aPod('cart-d', 'n2')] } }), [
      'cart-b',
    ])
  })
}

test('while it is not known whether a pod leaves, since the answer to its eviction was lost, no other one of its workload does', () => {
  const s = draining(['cart-a', 'cart-b', 'cart-c'].map((name) => aPod(name, 'n1')))
  const lost = (name: string, waitMs: number) => {
    const retry = { failures: 1, notBefore: monoMs(s.now + waitMs), error: 'the connection broke' }
    const passing = { kind: 'passing', text: 'the connection broke' } as const
    const unknown = { retries: { [`evict uid-${name}`]: retry }, evictions: { [`uid-${name}`]: passing } }
    return evictions({ ...s, evidence: { ...s.evidence, ...unknown } })
  }
  assert.deepEqual(lost('cart-b', 1000), ['hold drain: OneAtATime EvictionFailed'])
  assert.deepEqual(lost('cart-b', 0), ['cart-b'])
})

test('a pod that another lane is evicting counts no more, though every watch shows it as ready', () => {
  const s = draining([aPod('cart-a', 'n1'), aPod('cart-b', 'n2'), aPod('cart-c', 'n3')])
  const beside = { ...s, run: { ...s.run, leaving: new Set(['uid-cart-b']) } }
  assert.deepEqual([evictions(s), evictions(beside)], [['cart-a'], ['hold drain: ReplacementNotReady']])
})

test('the pods of the next stage wait until the volumes of the last one are detached', () => {
  const s = draining([aPod('api-a', 'n1', { controller: { kind: 'Job', name: 'j', uid: 'uid-j' }, runsToEnd: true })])
  const attachments = [
    { name: 'att-1', nodeName: 'n1', attacher: 'csi.example.com', persistentVolumeName: 'pv-1', attached: true },
  ]
  const known = (evidence: Partial<Evidence>) =>
    evictions({ ...s, cluster: { ...s.cluster, attachments }, evidence: { ...s.evidence, ...evidence } })
  assert.deepEqual(known({ volumesSeen: ['pv-1'] }), ['hold drain: VolumeAttached'])
  const evicted = { 'uid-db-0': { name: 'shop/db-0', stage: 1, volumes: ['pv-1'] } }
  assert.deepEqual(known({ evicted }), ['hold drain: VolumeAttached'], 'an earlier process evicted its pod')
  assert.deepEqual(known({ volumesSeen: ['pv-2'] }), ['api-a'], 'no pod of the drain had it')
})

test('DaemonSet pods leave last, and only where the file asks, behind a taint that keeps them away', () => {
  const edge = aPod('edge-a', 'n1', {
    labels: { app: 'edge' },
    controller: { kind: 'DaemonSet', name: 'edge', uid: 'uid-edge' },
  })
  const asked = aSpec({
    drain: { ...aSpec().drain, daemonSets: [{ matchLabels: { app: 'edge' }, matchExpressions: [] }] },
  })
  const of = (pods: readonly Pod[]): NodeSnapshot => ({ ...draining(pods), spec: asked })
  assert.deepEqual(evictions(draining([edge])), ['writeIntent'])
  assert.deepEqual(evictions(of([edge, aPod('cart-a', 'n1'), aPod('cart-b', 'n2'), aPod('cart-c', 'n2')])), ['cart-a'])
  const last = of([edge])
  assert.deepEqual(evictions(last), ['addTaint'])
  assert.deepEqual(evictions({ ...last, slot: { state: 'mine', mayAct: false } }), ['hold drain: SlotNotRenewed'])
  const shut = { ...last.current, node: { ...last.current.node, taints: [OUT_TAINT] } }
  assert.deepEqual(evictions({ ...last, current: shut }), ['edge-a'])
})

test('a node that lost its taint after its DaemonSet pods left is tainted again before its reboot', () => {
  const s = draining([])
  const left = { 'uid-edge-a': { name: 'shop/edge-a', stage: 3, workload: 'DaemonSet shop/edge' } }
  const again = { ...s, evidence: { ...s.evidence, evicted: left } }
  assert.deepEqual(evictions(again), ['addTaint'])
  const shut = { ...again.current, node: { ...again.current.node, taints: [OUT_TAINT] } }
  assert.deepEqual(evictions({ ...again, current: shut }), ['writeIntent'])
})

test('a pod that may go only where the file says so holds the drain, and nothing else is evicted beside it', () => {
  const { controller: _none, ...unmanaged } = aPod('lonely', 'n1')
  const keeping = aPod('cache-a', 'n1', { usesEmptyDir: true })
  const more = [aPod('cart-a', 'n1'), aPod('cart-b', 'n2'), aPod('cart-c', 'n2')]
  for (const pod of [unmanaged, keeping]) {
    assert.deepEqual(evictions(draining([pod, ...more])), ['hold drain: PodRefused'])
    const finished = draining([{ ...pod, phase: 'Succeeded', ready: false }])
    assert.deepEqual(evictions(finished).slice(0, 1), [pod.name])
  }
})

test('a pod that has ended goes though it is of a DaemonSet, and one that is not ready waits for no other', () => {
  const ended = aPod('edge-a', 'n1', {
    phase: 'Failed',
    ready: false,
    controller: { kind: 'DaemonSet', name: 'edge', uid: 'uid-edge' },
  })
  assert.deepEqual(evictions(draining([ended])), ['edge-a'])
  const unready = aPod('cart-b', 'n1', { ready: false })
  assert.deepEqual(evictions(draining([unready, aPod('cart-c', 'n2')])), ['cart-b'])
})

test('a pod is given the time to end that the file asks for', () => {
  const s = draining([aPod('cart-a', 'n1'), aPod('cart-b', 'n2'), aPod('cart-c', 'n2')])
  const graces = (graceSeconds?: number): readonly unknown[] => {
    const drain = { ...s.spec.drain, ...(graceSeconds === undefined ? {} : { graceSeconds }) }
    const decision = decide({ ...s, spec: aSpec({ drain }) })
    return decision.kind === 'act'
      ? decision.actions.map((action) => (action.kind === 'evict' ? action.graceSeconds : action.kind))
      : []
  }
  assert.deepEqual([graces(30), graces(0), graces()], [[30], [0], [undefined]])
})
