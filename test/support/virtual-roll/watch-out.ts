import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../../src/sim/world/api-resource.ts'

const LOOK_EVERY_MS = 200

export const budgetOf = (maxOut: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'evenkeel', name: 'evenkeel-budget' },
  data: { maxOut },
})

/**
 * How many nodes were out of service at once, and which ones together, by what the world shows and the engine does not: a
 * machine that is off, a Node that is cordoned, or none of its servers `ready` in HAProxy.
 */
export function watchOut(cluster: VirtualCluster) {
  const seen = { most: 0, together: '' }
  const look = (): void => {
    const out = cluster.nodes.filter((name) => isOut(cluster, name))
    if (out.length > seen.most) Object.assign(seen, { most: out.length, together: out.join(' ') })
    cluster.time.later(LOOK_EVERY_MS, look)
  }
  look()
  return seen
}

function isOut(cluster: VirtualCluster, name: string): boolean {
  const spec = (cluster.world.store.get(NODES, { name })?.spec ?? {}) as { readonly unschedulable?: boolean }
  return spec.unschedulable === true || cluster.machines.get(name)?.isOn !== true || !isSentTo(cluster, name)
}

/** `show servers state`: the sixth column is srv_admin_state, 0 for `ready`. */
function isSentTo({ balancer }: VirtualCluster, name: string): boolean {
  const rows = balancer
    .answer('show servers state')
    .split('\n')
    .map((line) => line.split(' '))
  return rows.some((columns) => columns[3] === name && columns[6] === '0')
}
