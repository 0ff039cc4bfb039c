import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../../src/ground/model/pod.ts'
import type { EndpointSlice } from '../../../src/ground/model/service.ts'
import { buildRecord } from '../../../src/roll/decide/build-record.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import { aPod, aServer, aSnapshot, aSpec, aWorkload } from '../../support/roll-world.ts'

const daemon = (name: string, change: Partial<Pod> = {}): Pod =>
  aPod(`${name}-a`, 'n1', { controller: { kind: 'DaemonSet', name, uid: `uid-${name}` }, ...change })

test('the record says why the run takes the node out, where a reason was given', () => {
  const s = aSnapshot({})
  assert.equal('reason' in buildRecord(s), false)
  assert.equal(buildRecord({ ...s, run: { ...s.run, reason: 'CVE-2026-1234' } }).reason, 'CVE-2026-1234')
})

test('of the taints of a node all are recorded but the one that is ours to remove', () => {
  const theirs = { key: 'example.com/gpu', effect: 'NoSchedule' }
  assert.deepEqual(buildRecord(aSnapshot({ node: { taints: [OUT_TAINT, theirs] } })).taints, [theirs])
})

test('a DaemonSet is recorded by the pod that stays, and whether that was ready', () => {
  const pods = [
    daemon('proxy'),
    daemon('logs', { ready: false }),
    daemon('agent', { terminating: true }),
    daemon('job', { phase: 'Failed', ready: false }),
    aPod('etcd-n1', 'n1', { mirror: true, containerIds: { etcd: 'containerd://e' } }),
    daemon('elsewhere', { nodeName: 'n2' }),
  ]
  assert.deepEqual(buildRecord(aSnapshot({ pods })).daemons, [
    { kind: 'DaemonSet', name: 'proxy', namespace: 'shop', containerIds: ['containerd://proxy-a-1'], ready: true },
    { kind: 'DaemonSet', name: 'logs', namespace: 'shop', containerIds: ['containerd://logs-a-1'], ready: false },
    { kind: 'mirror', name: 'etcd-n1', namespace: 'shop', containerIds: ['containerd://e'], ready: true },
  ])
})

test('what a workload replaces elsewhere is recorded by how many of it are ready, and is no daemon of the node', () => {
  const pods = [aPod('cart-1', 'n1'), daemon('proxy')]
  const workloads = [aWorkload(), aWorkload({ kind: 'DaemonSet', name: 'proxy', uid: 'uid-proxy' })]
  const record = buildRecord(aSnapshot({ pods, workloads }))
  assert.deepEqual(
    record.daemons.map(({ name }) => name),
    ['proxy'],
  )
  assert.deepEqual(record.workloads, { 'ReplicaSet shop/cart': 1 })
})

test('a server that is out by another one which it follows is recorded by its own state', () => {
  const servers = [aServer('n1', { adminState: 'maint', ownState: 'ready', inherited: true }), aServer('n2')]
  assert.deepEqual(
    buildRecord(aSnapshot({ servers })).servers.map(({ server, state }) => [server, state]),
    [['n1', 'ready']],
  )
})

test('a server is recorded with what is set on its Node to take it out, where that is so', () => {
  const [edge] = aSpec().balancers
  assert.ok(edge)
  const checks = { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 2_000 }
  const mark = { kind: 'label', key: 'example.com/out', value: '' } as const
  const via = { kind: 'mark', mark, markDelayMs: 1, checks, dataPort: 443 } as const
  const marks = (balancers: ReturnType<typeof aSpec>['balancers']) =>
    buildRecord(aSnapshot({ change: { spec: aSpec({ balancers }) } })).servers.map(({ nodeMark }) => nodeMark)
  assert.deepEqual(marks([edge]), [undefined])
  assert.deepEqual(marks([{ ...edge, via }]), ['label example.com/out'])
})

test('the record says where its slot is, and how many endpoints the cluster DNS had, not a Service of its name', () => {
  const s = aSnapshot({ change: { spec: aSpec({ slots: { namespace: 'ops', leaseDurationMs: 120_000 } }) } })
  const slice = (serviceName: string, ready: readonly boolean[]): EndpointSlice => ({
    namespace: 'kube-system',
    name: `${serviceName}-x`,
    serviceName,
    ports: [53],
    endpoints: ready.map((isReady, i) => ({
      addresses: [`10.1.0.${i}`],
      ready: isReady,
      serving: isReady,
      terminating: false,
    })),
  })
  const theirs = { ...slice('kube-dns', [true]), namespace: 'shop' }
  const slices = [slice('kube-dns', [true, false, true]), slice('metrics', [true]), theirs]
  const { slotNamespace, dnsReady } = buildRecord({ ...s, cluster: { ...s.cluster, slices } })
  assert.deepEqual([slotNamespace, dnsReady], ['ops', 2])
})
