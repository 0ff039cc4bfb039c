import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { stageUnderWay } from '../../../src/roll/decide/drain/stage-under-way.ts'
import { drainState } from '../../../src/roll/decide/drain/stages.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import { plain } from '../../support/plain.ts'
import { out } from '../../support/roll-stages.ts'
import { aBudget, aPod, aRecord, aSnapshot, aSpec, aWorkload, detachedEvidence } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const CEPH = { kind: 'ReplicaSet', name: 'ceph-n1', uid: 'uid-ceph-n1' } as const
const guard = aPod('ceph-n1-a', 'n1', { labels: { 'evenkeel.dev/guard': 'ceph' }, controller: CEPH })
const workloads = [aWorkload({ desired: 2 }), aWorkload({ name: 'ceph-n1', uid: 'uid-ceph-n1', desired: 1 })]
const record = aRecord({ workloads: { 'ReplicaSet shop/cart': 2, 'ReplicaSet shop/ceph-n1': 1 } })
const EDGE = { controller: { kind: 'DaemonSet', name: 'edge', uid: 'uid-edge' }, labels: { app: 'edge' } } as const
const daemonSets = [{ matchLabels: { app: 'edge' }, matchExpressions: [] }]
const attachment = { name: 'att-1', nodeName: 'n1', attacher: 'csi.example.com', persistentVolumeName: 'pv-1' }
const elsewhere = [aPod('cart-x', 'n2'), aPod('cart-y', 'n3')]

interface Drawn {
  readonly pods: readonly Pod[]
  readonly evidence?: Partial<Evidence>
  readonly attached?: boolean
  readonly shut?: boolean
}

function draining({ pods, evidence = {}, attached = false, shut = false }: Drawn): NodeSnapshot {
  const firstSeen = pods.map(({ uid }) => uid)
  const s = aSnapshot({
    ...out,
    ...(shut ? { node: { ...out.node, taints: [OUT_TAINT] } } : {}),
    record,
    workloads,
    pods,
    evidence: {
      ...detachedEvidence(),
      firstSeen,
      ...(attached ? { volumesSeen: [attachment.persistentVolumeName] } : {}),
      ...evidence,
    },
  })
  const attachments = attached ? [{ ...attachment, attached: true }] : []
  return { ...s, spec: aSpec({ drain: { ...aSpec().drain, daemonSets } }), cluster: { ...s.cluster, attachments } }
}

function decided(drawn: Drawn): string {
  const decision = decide(draining(drawn))
  if (decision.kind !== 'act') return shortDecision(decision)
  return decision.actions.map((action) => (action.kind === 'evict' ? action.name : action.kind)).join(' ')
}

const leaving = { terminating: true } as const
const refused = {
  retries: { [`evict ${guard.uid}`]: { failures: 1, notBefore: monoMs(10 ** 9), error: '429' } },
  evictions: { [guard.uid]: { kind: 'budget', refusal: { budget: 'ceph-n1', need: 1, have: 1 } } },
} as const
const evicted = { [guard.uid]: { name: 'shop/ceph-n1-a', stage: 4, workload: 'ReplicaSet shop/ceph-n1' } }

const TABLE: readonly (readonly [what: string, drawn: Drawn, decision: string])[] = [
  ['a pod with a volume is here', { pods: [guard, aPod('db-0', 'n1', { claims: ['data'] }), ...elsewhere] }, 'db-0'],
  ['another pod is here', { pods: [guard, aPod('cart-a', 'n1'), ...elsewhere] }, 'cart-a'],
  ['another pod is leaving', { pods: [guard, aPod('cart-a', 'n1', leaving), ...elsewhere] }, 'hold drain: PodLeaving'],
  ['a volume is still attached', { pods: [guard, ...elsewhere], attached: true }, 'hold drain: VolumeAttached'],
  ['a pod of a DaemonSet is here', { pods: [guard, aPod('edge-a', 'n1', EDGE), ...elsewhere], shut: true }, 'edge-a'],
  [
    'a pod of a DaemonSet is leaving',
    { pods: [guard, aPod('edge-a', 'n1', { ...EDGE, ...leaving }), ...elsewhere], shut: true },
    'hold drain: PodLeaving',
  ],
  ['no other pod is here', { pods: [guard, ...elsewhere] }, 'ceph-n1-a'],
  ['it was refused a moment ago', { pods: [guard, ...elsewhere], evidence: refused }, 'hold drain: GuardNotGranted'],
  [
    'it is leaving',
    { pods: [{ ...guard, ...leaving }, ...elsewhere], evidence: { evicted } },
    'hold drain: PodLeaving',
  ],
  ['it has left', { pods: elsewhere, evidence: { evicted } }, 'writeIntent'],
  [
    'it has left, and its replacement waits for a node',
    {
      pods: [...elsewhere, { ...guard, uid: 'uid-next', name: 'ceph-n1-b', nodeName: undefined, ready: false }].map(
        ({ nodeName, ...pod }) => (nodeName === undefined ? pod : { ...pod, nodeName }),
      ),
      evidence: { evicted },
    },
    'writeIntent',
  ],
]

for (const [what, drawn, decision] of TABLE) {
  test(`the pod of a NodeGuard leaves last; ${what}: ${decision}`, () => assert.equal(decided(drawn), decision))
}

test('a drain waits for a pod of a NodeGuard on no other node', () => {
  const shared = { kind: 'ReplicaSet', name: 'ceph-n1', uid: 'uid-ceph-n1' } as const
  const away = aPod('ceph-n2-a', 'n2', { labels: guard.labels, controller: shared, ready: false })
  assert.equal(decided({ pods: [guard, away, ...elsewhere] }), 'ceph-n1-a')
})

test('a pod of a NodeGuard that is refused names the NodeGuard, and the command that says what it waits for', () => {
  const s = draining({ pods: [guard, ...elsewhere], evidence: refused })
  const shut = aBudget({ name: 'ceph-n1', desiredHealthy: 1, currentHealthy: 1, expectedPods: 1 })
  const decision = decide({ ...s, cluster: { ...s.cluster, budgets: [shut] } })
  assert.deepEqual(plain(decision.kind === 'hold' && decision.reasons), [
    {
      code: 'GuardNotGranted',
      object: 'shop/ceph-n1-a',
      text: 'shop/ceph-n1-a: NodeGuard shop/ceph has not granted n1 yet',
      next: 'kubectl -n shop describe nodeguard ceph',
    },
  ])
})

const STAGES: readonly (readonly [what: string, drawn: Drawn, stage: readonly [number, number]])[] = [
  ['another pod and it are left', { pods: [guard, aPod('cart-a', 'n1')] }, [2, 4]],
  ['it alone is left', { pods: [guard] }, [4, 4]],
  ['it has left', { pods: [], evidence: { evicted } }, [4, 4]],
  ['there is none', { pods: [aPod('cart-a', 'n1')] }, [2, 3]],
]

for (const [what, drawn, stage] of STAGES) {
  test(`the pod of a NodeGuard is a stage by itself; ${what}: stage ${stage.join(' of ')}`, () => {
    const s = draining(drawn)
    assert.deepEqual(stageUnderWay(s, drainState(s).left), stage)
  })
}
