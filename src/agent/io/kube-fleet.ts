import { CLUSTER_KINDS } from '../../ground/kube/cluster-kinds.ts'
import { type FollowParts, follow } from '../../ground/kube/follow.ts'
import { listPages } from '../../ground/kube/list-pages.ts'
import { resourceOf } from '../../ground/kube/resources.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { present } from '../../ground/model/present.ts'
import type { FleetNode } from '../model/fleet-node.ts'
import type { Fleet } from '../ports/fleet.ts'
import { parseFleetNode } from './parse-fleet-node.ts'

/** A Node as the brake uses it. */
const FLEET_NODES: ObjectKind<FleetNode> = { ...CLUSTER_KINDS.nodes, parse: parseFleetNode }

/** All nodes, or those of a label selector. Needs the right to list and to watch nodes. */
export function kubeFleet(parts: FollowParts, labelSelector?: string): Fleet {
  const narrowed = present({ labelSelector })
  return {
    follow: (sink, signal) => follow(parts, { kind: resourceOf({ kind: FLEET_NODES, ...narrowed }), sink }, signal),
    read: async (name, signal) => {
      // A list without a resourceVersion is as of now, and the only read that a label selector can restrict.
      const one = resourceOf({ kind: FLEET_NODES, ...narrowed, fieldSelector: `metadata.name=${name}` })
      const { objects } = await listPages(parts, one, signal)
      return objects.find((node) => node.name === name)
    },
  }
}
