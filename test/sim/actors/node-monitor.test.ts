import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAST_NODE_TIMING, type NodeTiming, runNodeMonitor } from '../../../src/sim/actors/node-monitor.ts'
import { readiness } from '../../../src/sim/actors/node-object.ts'
import { runNodeTainter } from '../../../src/sim/actors/node-tainter.ts'
import { isGoing, isReady } from '../../../src/sim/actors/pod-object.ts'
import { runTaintEviction } from '../../../src/sim/actors/taint-eviction.ts'
import { LEASES, NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { ControlledWorld } from './controlled-world.ts'

const pod = (name: string, tolerations: readonly object[] = []) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { nodeName: 'n1', containers: [{ name: 'app' }], tolerations },
})

const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }

/** Nodes whose kubelets renew their Leases until they are told not to. */
class WatchedNodes extends ControlledWorld {
  readonly silent = new Set<string>()

  constructor(timing?: NodeTiming, nodes: readonly string[] = ['n1', 'n2']) {
    super(nodes)
    for (const run of [runNodeTainter, runTaintEviction]) run(this)
    runNodeMonitor(this, timing)
    for (const node of nodes) this.#renew(node, 0)
  }

  #renew(name: string, count: number): void {
    const spec = { holderIdentity: name, renewTime: `2026-01-01T00:00:00.${String(count).padStart(6, '0')}Z` }
    const metadata = { name, namespace: 'kube-node-lease' }
    const old = this.world.store.get(LEASES, metadata)
    const stamps = { uid: `lease-${name}`, resourceVersion: '', creationTimestamp: '2026-01-01T00:00:00Z' }
    if (!this.silent.has(name))
      this.world.store.put(LEASES, {
        ...(old ?? { apiVersion: 'v1', kind: 'Lease', metadata: { ...metadata, ...stamps } }),
        spec,
      })
    this.timers.later(1_000, () => this.#renew(name, count + 1))
  }

  /** The kubelet is back and says so. */
  return(name = 'n1'): void {
    this.silent.delete(name)
    const lastHeartbeatTime = new Date(this.timers.wallMs()).toISOString()
    this.patch(NODES, name, { status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] } })
  }

  taints(name = 'n1'): readonly string[] {
    return (this.node(name).spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`)
  }

  /** Those whose pods are driven out. */
  driven(): readonly string[] {
    return this.all(NODES)
      .map(({ metadata }) => metadata.name)
      .filter((name) => this.taints(name).includes('unreachable:NoExecute'))
  }
}

test('a node whose Lease is renewed stays Ready for hours', async () => {
  const cluster = new WatchedNodes()
  await cluster.after(3_600_000)
  assert.equal(readiness(cluster.node('n1')), 'True')
})

for (const [says, timing, atMost] of [
  ['as a controller manager has it', undefined, 55_000],
  ['in a hurry', FAST_NODE_TIMING, 11_000],
] as const) {
  test(`a node that is silent for the grace period is Unknown, its pods are not ready: ${says}`, async () => {
    const cluster = new WatchedNodes(timing)
    cluster.apply(pod('a'))
    cluster.kubelets()
    await cluster.after(60_000)
    cluster.silent.add('n1')
    await cluster.after(atMost - 12_000 > 0 ? atMost - 12_000 : 8_000)
    assert.equal(readiness(cluster.node('n1')), 'True')
    await cluster.after(13_000)
    const condition = cluster.node('n1').status?.conditions?.find(({ type }) => type === 'Ready')
    assert.deepEqual(
      [condition?.status, condition?.reason, condition?.message],
      ['Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'],
    )
    assert.equal(isReady(cluster.pods()[0] ?? assert.fail()), false)
    assert.deepEqual(cluster.taints().toSorted(), ['unreachable:NoExecute', 'unreachable:NoSchedule'])
  })
}

test('a node that is back loses its taints: at once the one that keeps away, at the next look the one that drives out', async () => {
  const cluster = new WatchedNodes()
  await cluster.after(10_000)
  cluster.silent.add('n1')
  await cluster.after(61_000)
  assert.equal(cluster.taints().length, 2)
  cluster.return()
  await cluster.after(100)
  assert.deepEqual(cluster.taints(), ['unreachable:NoExecute'])
  await cluster.after(5_000)
  assert.deepEqual(cluster.taints(), [])
  assert.equal(cluster.node('n1').spec?.taints, undefined)
})

test('a cordon is a taint, beside those of others', async () => {
  const cluster = new WatchedNodes()
  cluster.patch(NODES, 'n1', { spec: { unschedulable: true, taints: [{ key: 'a/mine', effect: 'NoSchedule' }] } })
  await cluster.after(50)
  assert.deepEqual(cluster.taints(), ['mine:NoSchedule', 'unschedulable:NoSchedule'])
  cluster.patch(NODES, 'n1', { spec: { unschedulable: null } })
  await cluster.after(50)
  assert.deepEqual(cluster.taints(), ['mine:NoSchedule'])
})

test('a kubelet that says it is not ready has pods that are not, and the taint for that', async () => {
  const cluster = new WatchedNodes(FAST_NODE_TIMING)
  cluster.apply(pod('a'))
  cluster.kubelets()
  await cluster.after(5_000)
  cluster.patch(NODES, 'n1', { status: { conditions: [{ type: 'Ready', status: 'False' }] } })
  await cluster.after(1_100)
  assert.deepEqual(cluster.taints().toSorted(), ['not-ready:NoExecute', 'not-ready:NoSchedule'])
  assert.equal(isReady(cluster.pods()[0] ?? assert.fail()), false)
})

test('pods are driven out once they have borne it as long as they said: five minutes where they said nothing', async () => {
  const cluster = new WatchedNodes(FAST_NODE_TIMING)
  cluster.apply(pod('ever', [UNREACHABLE]))
  cluster.apply(pod('plain'))
  cluster.apply(pod('short', [{ ...UNREACHABLE, tolerationSeconds: 30 }]))
  cluster.kubelets()
  cluster.silent.add('n1')
  const going = () =>
    cluster
      .pods()
      .filter(isGoing)
      .map(({ metadata }) => metadata.name)
  await cluster.after(35_000)
  assert.deepEqual(going(), [])
  await cluster.after(10_000)
  assert.deepEqual(going(), ['short'])
  const target = cluster.pods()[2]?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  assert.equal(target?.reason, 'DeletionByTaintManager')
  await cluster.after(270_000)
  assert.deepEqual(going(), ['plain', 'short'])
})

test('a node that is back in time loses no pod', async () => {
  const cluster = new WatchedNodes(FAST_NODE_TIMING)
  cluster.apply(pod('plain'))
  cluster.kubelets()
  cluster.silent.add('n1')
  await cluster.after(200_000)
  cluster.return()
  await cluster.after(600_000)
  assert.deepEqual(cluster.pods().filter(isGoing), [])
})

test('a pod that is put on a node with a taint that it does not bear goes at once', async () => {
  const cluster = new WatchedNodes()
  cluster.patch(NODES, 'n1', { spec: { taints: [{ key: 'out', effect: 'NoExecute' }] } })
  await cluster.after(100)
  cluster.apply(pod('a'))
  await cluster.after(100)
  assert.equal(isGoing(cluster.get(PODS, 'a')), true)
})

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index + 1}`)

/** Which nodes' pods are driven out after each so many seconds of the silence of these. */
async function drivenOut(count: number, silent: readonly string[], atSeconds: readonly number[]): Promise<object> {
  const cluster = new WatchedNodes(FAST_NODE_TIMING, names(count))
  await cluster.after(5_000)
  for (const name of silent) cluster.silent.add(name)
  const seen: Record<number, number> = {}
  let now = 0
  for (const second of atSeconds) {
    await cluster.after((second - now) * 1_000)
    now = second
    seen[second] = cluster.driven().length
  }
  return seen
}

test('pods are driven out from one node each 10 s', async () => {
  assert.deepEqual(await drivenOut(5, ['n1', 'n2'], [9, 12, 20, 22, 600]), { 9: 0, 12: 1, 20: 1, 22: 2, 600: 2 })
})

test('where many of a small cluster are silent, from none; of a large one, from one each 100 s', async () => {
  assert.deepEqual(await drivenOut(5, names(3), [12, 3_600]), { 12: 0, 3600: 0 })
  assert.deepEqual(await drivenOut(60, names(33), [12, 111, 113, 213]), { 12: 1, 111: 1, 113: 2, 213: 3 })
  assert.deepEqual(await drivenOut(60, names(32), [12, 22, 32]), { 12: 1, 22: 2, 32: 3 })
})

test('when the last node falls silent, no further pod is driven out; when one is back, the others are, 10 s later', async () => {
  const cluster = new WatchedNodes(FAST_NODE_TIMING)
  cluster.apply(pod('plain'))
  cluster.kubelets()
  cluster.silent.add('n1')
  await cluster.after(100_000)
  assert.deepEqual(cluster.driven(), ['n1'])
  cluster.silent.add('n2')
  await cluster.after(12_000)
  assert.deepEqual(
    [cluster.taints('n1'), cluster.taints('n2')],
    [['unreachable:NoSchedule'], ['unreachable:NoSchedule']],
  )
  await cluster.after(600_000)
  assert.deepEqual(cluster.driven(), [])
  assert.deepEqual(cluster.pods().filter(isGoing), [])
  cluster.return('n2')
  await cluster.after(9_000)
  assert.deepEqual([cluster.driven(), cluster.taints('n2')], [[], []])
  await cluster.after(3_000)
  assert.deepEqual(cluster.driven(), ['n1'])
})

test('a silent node that speaks up and is not ready has its taints changed at once, even while other nodes wait', async () => {
  const cluster = new WatchedNodes(FAST_NODE_TIMING, names(5))
  await cluster.after(5_000)
  for (const name of ['n1', 'n2']) cluster.silent.add(name)
  await cluster.after(12_000)
  assert.deepEqual(cluster.driven(), ['n1'])
  cluster.silent.delete('n1')
  const lastHeartbeatTime = new Date(cluster.timers.wallMs()).toISOString()
  cluster.patch(NODES, 'n1', { status: { conditions: [{ type: 'Ready', status: 'False', lastHeartbeatTime }] } })
  await cluster.after(1_100)
  assert.deepEqual(cluster.taints('n1').toSorted(), ['not-ready:NoExecute', 'not-ready:NoSchedule'])
  assert.deepEqual(cluster.driven(), [])
})
