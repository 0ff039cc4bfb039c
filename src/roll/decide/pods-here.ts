import type { Pod } from '../../ground/model/pod.ts'
import type { NodeSnapshot } from './node-snapshot.ts'

interface Here {
  readonly node: string
  readonly pods: readonly Pod[]
}

/** By the list of all pods, which never changes: each step of the one node under way asks for its pods. */
const HERE = new WeakMap<readonly Pod[], Here>()

/** The pods on the node under way, in the order of the snapshot. */
export function podsHere({ cluster, current }: Pick<NodeSnapshot, 'cluster' | 'current'>): readonly Pod[] {
  const node = current.node.name
  const known = HERE.get(cluster.pods)
  if (known?.node === node) return known.pods
  const pods = cluster.pods.filter((pod) => pod.nodeName === node)
  HERE.set(cluster.pods, { node, pods })
  return pods
}
