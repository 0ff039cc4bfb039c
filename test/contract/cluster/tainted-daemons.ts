import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterGround } from './cluster-ground.ts'

const NODE = 'n2'

/** A DaemonSet on a node that an operator taints. */
export function taintedDaemonsContract(ground: () => ClusterGround): void {
  const numbers = () => {
    const { status } = ground().log.named('daemonSet', 'edge') ?? {}
    return [status?.desiredNumberScheduled, status?.numberMisscheduled, status?.numberReady]
  }
  const taint = (taints: readonly object[] | null): Promise<void> =>
    ground().patch(`/api/v1/nodes/${NODE}`, { spec: { taints } })
  const pod = () =>
    ground()
      .podsOn(NODE)
      .find(({ metadata }) => metadata.labels?.app === 'edge')

  test('a taint against new pods is no reason to count again for a DaemonSet that has its pod there', async () => {
    const { revision } = await ground().now()
    await taint([{ key: 'test.local/shut', effect: 'NoSchedule' }])
    await ground().until('two heartbeats', () => {
      const renewals = ground().log.changes('lease', revision)
      return renewals.filter(({ object }) => object.metadata.name === NODE).length >= 2
    })
    assert.deepEqual(ground().log.changes('daemonSet', revision), [])
    assert.deepEqual(numbers(), [3, 0, 3])
  })

  test('a pod that is deleted there does not come back, and the node is wanted no more', async () => {
    const old = pod()
    assert.ok(old)
    await ground().ask('DELETE', `/api/v1/namespaces/default/pods/${old.metadata.name}?gracePeriodSeconds=1`)
    await ground().until('it to be gone', () => ground().log.named('pod', old.metadata.name) === undefined)
    await ground().until('the node to be wanted no more', () => numbers().join() === '2,0,2')
    assert.equal(pod(), undefined)
  })

  test('it comes back when the taint is gone', async () => {
    await taint(null)
    await ground().settled(10)
    await ground().until('all to be counted', () => numbers().join() === '3,0,3')
    assert.ok(pod())
  })
}
