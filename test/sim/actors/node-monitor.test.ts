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

/** A node whose kubelet renews its Lease while it is told to. */
class WatchedNode extends ControlledWorld {
  isAlive = true

  constructor(timing?: NodeTiming) {
    super(['n1'])
    for (const run of [runNodeTainter, runTaintEviction]) run(this)
    runNodeMonitor(this, timing)
    this.#renew(0)
  }

  #renew(count: number): void {
    const spec = { holderIdentity: 'n1', renewTime: `2026-01-01T00:00:00.${String(count).padStart(6, '0')}Z` }
    const metadata = { name: 'n1', namespace: 'kube-node-lease' }
    const old = this.world.store.get(LEASES, metadata)
    const stamps = { uid: 'lease', resourceVersion: '', creationTimestamp: '2026-01-01T00:00:00Z' }
    if (this.isAlive)
      this.world.store.put(LEASES, {
        ...(old ?? { apiVersion: 'v1', kind: 'Lease', metadata: { ...metadata, ...stamps } }),
        spec,
      })
    this.timers.later(1_000, () => this.#renew(count + 1))
  }

  /** The kubelet is back and says so. */
  return(): void {
    this.isAlive = true
    const lastHeartbeatTime = new Date(this.timers.wallMs()).toISOString()
    this.patch(NODES, 'n1', { status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] } })
  }

  taints(): readonly string[] {
    return (this.node('n1').spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`)
  }
}

test('a node whose Lease is renewed stays Ready for hours', async () => {
  const cluster = new WatchedNode()
  await cluster.after(3_600_000)
  assert.equal(readiness(cluster.node('n1')), 'True')
})

for (const [says, timing, atMost] of [
  ['as a controller manager has it', undefined, 55_000],
  ['in a hurry', FAST_NODE_TIMING, 11_000],
] as const) {
  test(`a node that is silent for the grace period is Unknown, its pods are not ready: ${says}`, async () => {
    const cluster = new WatchedNode(timing)
    cluster.apply(pod('a'))
    cluster.kubelets()
    await cluster.after(60_000)
    cluster.isAlive = false
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
  const cluster = new WatchedNode()
  await cluster.after(10_000)
  cluster.isAlive = false
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
  const cluster = new WatchedNode()
  cluster.patch(NODES, 'n1', { spec: { unschedulable: true, taints: [{ key: 'a/mine', effect: 'NoSchedule' }] } })
  await cluster.after(50)
  assert.deepEqual(cluster.taints(), ['mine:NoSchedule', 'unschedulable:NoSchedule'])
  cluster.patch(NODES, 'n1', { spec: { unschedulable: null } })
  await cluster.after(50)
  assert.deepEqual(cluster.taints(), ['mine:NoSchedule'])
})

test('a kubelet that says it is not ready has pods that are not, and the taint for that', async () => {
  const cluster = new WatchedNode(FAST_NODE_TIMING)
  cluster.apply(pod('a'))
  cluster.kubelets()
  await cluster.after(5_000)
  cluster.patch(NODES, 'n1', { status: { conditions: [{ type: 'Ready', status: 'False' }] } })
  await cluster.after(1_100)
  assert.deepEqual(cluster.taints().toSorted(), ['not-ready:NoExecute', 'not-ready:NoSchedule'])
  assert.equal(isReady(cluster.pods()[0] ?? assert.fail()), false)
})

test('pods are driven out once they have borne it as long as they said: five minutes where they said nothing', async () => {
  const cluster = new WatchedNode(FAST_NODE_TIMING)
  cluster.apply(pod('ever', [UNREACHABLE]))
  cluster.apply(pod('plain'))
  cluster.apply(pod('short', [{ ...UNREACHABLE, tolerationSeconds: 30 }]))
  cluster.kubelets()
  cluster.isAlive = false
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

test('a node that is back in time drives nobody out', async () => {
  const cluster = new WatchedNode(FAST_NODE_TIMING)
  cluster.apply(pod('plain'))
  cluster.kubelets()
  cluster.isAlive = false
  await cluster.after(200_000)
  cluster.return()
  await cluster.after(600_000)
  assert.deepEqual(cluster.pods().filter(isGoing), [])
})

test('a pod that is put on a node with a taint that it does not bear goes at once', async () => {
  const cluster = new WatchedNode()
  cluster.patch(NODES, 'n1', { spec: { taints: [{ key: 'out', effect: 'NoExecute' }] } })
  await cluster.after(100)
  cluster.apply(pod('a'))
  await cluster.after(100)
  assert.equal(isGoing(cluster.get(PODS, 'a')), true)
})
