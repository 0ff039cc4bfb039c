import type { FleetNode } from '../../model/fleet-node.ts'
import type { Fleet } from '../../ports/fleet.ts'
import { type FollowParts, follow } from './follow.ts'
import { listPages } from './list-pages.ts'
import { parseFleetNode } from './parse-fleet-node.ts'
import type { Resource } from './resources.ts'

/** All nodes, or those of a label selector. It takes the right to list and to watch nodes. */
export function kubeFleet(parts: FollowParts, labelSelector?: string): Fleet {
  const query: Readonly<Record<string, string>> = labelSelector === undefined ? {} : { labelSelector }
  const kind: Resource<FleetNode> = { path: '/api/v1/nodes', resource: 'nodes', parse: parseFleetNode, query }
  return {
    follow: (sink, signal) => follow(parts, { kind, sink }, signal),
    read: async (name, signal) => {
      // A list without a resourceVersion is as of now, and the only read that a label selector narrows.
      const one = { ...kind, query: { ...query, fieldSelector: `metadata.name=${name}` } }
      const { objects } = await listPages(parts, one, signal)
      return objects.find((node) => node.name === name)
    },
  }
}
