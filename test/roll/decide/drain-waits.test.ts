import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unschedulable } from '../../../src/ground/kube/unschedulable.ts'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { replaced } from '../../../src/roll/decide/drain/replaced.ts'
import type { RecordedSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import { drain } from '../../../src/roll/decide/steps/drain.ts'
import { keepDetached } from '../../../src/service/decide/keep-detached.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import { announced, out } from '../../support/roll-stages.ts'
import {
  anInstance,
  aPod,
  aRecord,
  aServer,
  aSnapshot,
  aSpec,
  aWorkload,
  detachedEvidence,
} from '../../support/roll-world.ts'

type World = NonNullable<Parameters<typeof aSnapshot>[0]>
const given = (world: World): RecordedSnapshot => {
  const record = world.record ?? aRecord()
  return { ...aSnapshot({ ...world, record }), record } as RecordedSnapshot
}
const EDGE = aWorkload({ kind: 'DaemonSet', name: 'edge', uid: 'uid-edge' })
const edgePod = (name: string): Pod =>
  aPod(name, 'n1', { labels: { app: 'edge' }, controller: { kind: 'DaemonSet', name: 'edge', uid: 'uid-edge' } })
const daemonSets = [{ matchLabels: { app: 'edge' }, matchExpressions: [] }]
const spec = aSpec({ drain: { ...aSpec().drain, daemonSets } })

test('the pods of a DaemonSet leave at once, and behind the taint of the roll alone', () => {
  const theirs = { key: 'example.com/gpu', effect: 'NoSchedule' }
  const actions = (taints: readonly (typeof theirs)[]) => {
    const s = given({ ...out, node: { unschedulable: true, taints }, pods: [edgePod('edge-a'), edgePod('edge-b')] })
    const answer = drain.next({ ...s, spec, cluster: { ...s.cluster, workloads: [EDGE] } })
    return (
      answer.kind === 'act' && answer.actions.map((action) => (action.kind === 'evict' ? action.name : action.kind))
    )
  }
  assert.deepEqual(actions([theirs]), ['addTaint'])
  assert.deepEqual(actions([theirs, OUT_TAINT]), ['edge-a', 'edge-b'])
})

test('a DaemonSet that lost its pod is not waited for elsewhere', () => {
  const record = aRecord({ workloads: { 'DaemonSet shop/edge': 1 } })
  const evicted = { 'uid-edge-a': { name: 'shop/edge-a', stage: 3, workload: 'DaemonSet shop/edge' } }
  const node = { ...out.node, taints: [OUT_TAINT] }
  const s = given({ ...out, node, record, workloads: [EDGE], evidence: { ...detachedEvidence(), evicted } })
  assert.equal(drain.next({ ...s, spec }).kind, 'done')
})

test('each volume that is still attached is waited for by its name, and one without a name is not', () => {
  const s = given({
    ...out,
    evidence: {
      ...detachedEvidence(),
      evicted: { 'uid-db-0': { name: 'shop/db-0', stage: 1, volumes: ['pv-a', 'pv-b'] } },
    },
  })
  const attachments = ['a', 'b'].map((name) => ({
    name,
    nodeName: 'n1',
    attacher: 'csi.test',
    persistentVolumeName: `pv-${name}`,
    attached: true,
  }))
  const inline = { name: 'c', nodeName: 'n1', attacher: 'csi.test', attached: true }
  const answer = drain.next({ ...s, cluster: { ...s.cluster, attachments: [...attachments, inline] } })
  assert.deepEqual(answer.kind === 'hold' && answer.reasons, [
    { code: 'VolumeAttached', object: 'a', text: 'volume pv-a is still attached (csi.test)' },
    { code: 'VolumeAttached', object: 'b', text: 'volume pv-b is still attached (csi.test)' },
  ])
})

const MESSAGE = "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod anti-affinity rules."
const unplaced = (name: string, change: Partial<Pod> = {}): Pod => {
  const { nodeName: _, ...pod } = aPod(name, 'n1', { ready: false, phase: 'Pending', ...change })
  return pod
}
const cart = (pods: readonly Pod[]) =>
  replaced(
    given({ record: aRecord({ workloads: { 'ReplicaSet shop/cart': 2 } }), pods, workloads: [aWorkload()] }),
    aWorkload(),
  )

test('of the pods that have no node yet the one that the scheduler speaks of says why', () => {
  const pods = [aPod('cart-a', 'n2'), unplaced('cart-b'), unplaced('cart-c', { unschedulable: unschedulable(MESSAGE) })]
  assert.deepEqual(cart(pods), {
    kind: 'onlyHere',
    cure: 'unlikely',
    reason: {
      code: 'OnlyThisNodeCures',
      object: 'shop/cart-c',
      text: `shop/cart-c can only run on n1: ${MESSAGE}`,
    },
    waiting: {
      kind: 'waiting',
      isRefused: true,
      reason: {
        code: 'ReplacementNotReady',
        object: 'ReplicaSet shop/cart',
        text: `ReplicaSet shop/cart has 1 ready of 2 recorded; ${MESSAGE}`,
      },
    },
  })
})

test('a workload that is waited for says how many it has, and what the scheduler says', () => {
  const waiting = { code: 'ReplacementNotReady', object: 'ReplicaSet shop/cart' }
  assert.deepEqual(cart([aPod('cart-a', 'n2'), unplaced('cart-b')]), {
    kind: 'waiting',
    isRefused: false,
    reason: { ...waiting, text: 'ReplicaSet shop/cart has 1 ready of 2 recorded' },
  })
  assert.deepEqual(cart([unplaced('cart-b', { unschedulable: unschedulable('3 Insufficient cpu') })]), {
    kind: 'waiting',
    isRefused: true,
    reason: { ...waiting, text: 'ReplicaSet shop/cart has 0 ready of 2 recorded; 3 Insufficient cpu' },
  })
})

test('a server that a reload put back is taken out again though that of another backend is the last', () => {
  const [own] = aRecord().servers
  assert.ok(own)
  const api = (server: string) => aServer(server, { ref: { instance: 'lb-1', backend: 'api', server } })
  const record = aRecord({ servers: [own, { ...own, backend: 'api' }] })
  const servers = [aServer('n1'), api('n1'), api('n2')]
  const instances = [anInstance(servers, { backends: ['web', 'api'] })]
  const { detached } = detachedEvidence()
  const [seen] = Object.values(detached)
  assert.ok(seen)
  const evidence = { detached: { ...detached, 'api/n1 on lb-1': seen } }
  const backendsOf = (world: World) =>
    keepDetached(serviceOf(aSnapshot({ ...world, record, evidence, change: { instances } }))).map(
      (action) => action.kind === 'setServer' && action.ref.backend,
    )
  assert.deepEqual(backendsOf(out), ['api'])
  assert.deepEqual(backendsOf(announced), ['web', 'api'])
})
