import { firstOf } from '../../../ground/model/first-of.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { allowedServers, serversOfNoNode } from '../../../service/decide/match-node-servers.ts'
import type { Places } from './node-findings.ts'

/**
 * Backends of the file that send to servers of no known node, and to no other. Nodes may be among them by other addresses, as in a backend
 * for IPv6, and would go on being sent clients there. If none is, there is nothing in such a backend that a roll could take out. Where no
 * backend at all has a node, each node has a finding of its own.
 */
export function strangeBackends({ spec, cluster, instances }: Places): readonly PlanFinding[] {
  if (spec.nodes.allowUnbalanced) return []
  const backends = instances.flatMap((instance) => {
    const strangers = new Set(serversOfNoNode(instance, cluster.nodes))
    return [...Map.groupBy(allowedServers(instance), ({ ref }) => ref.backend)].map(([backend, servers]) => ({
      name: `backend ${backend} of ${instance.instance}`,
      backend,
      hasNode: servers.some((server) => !strangers.has(server)),
      // A spare server of a template is in maint, and one of a node that is no more is down.
      sent: servers.filter(
        ({ address, adminState, operational }) => address !== '' && adminState === 'ready' && operational === 'up',
      ),
    }))
  })
  if (backends.every(({ hasNode }) => !hasNode)) return []
  return backends
    .filter(({ hasNode, sent }) => !hasNode && sent.length > 0)
    .map(({ name, backend, sent }) => ({
      severity: 'error',
      code: 'BalancerBackendNoNode',
      text: `${name} sends to servers of no known node: ${firstOf(sent.map(({ ref, address, port }) => `${ref.server} at ${address}:${port}`))}. Nodes that are there by another address would not be taken out`,
      fix: `give its servers the InternalIP of their nodes, or take ${backend} out of "backends" if it sends to none`,
    }))
}
