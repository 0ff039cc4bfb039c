import type { Node } from '../../model/node.ts'
import type { PlanFinding } from '../../model/roll-plan.ts'
import type { Host } from '../../ports/host.ts'

export interface HostsAsked {
  /** The nodes to roll. */
  readonly nodes: readonly Node[]
  readonly all: readonly Node[]
}

export async function inspectHosts(
  host: Host,
  asked: HostsAsked,
  signal: AbortSignal,
): Promise<readonly PlanFinding[]> {
  await Promise.all(
    asked.nodes.map((node) => host.check({ node: node.name, address: node.internalAddresses[0] ?? '' }, signal)),
  )
  return []
}
