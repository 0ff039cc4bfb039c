import { hostFindings } from '../../core/roll/plan/host-findings.ts'
import type { HostInquiry } from '../../core/roll/plan/host-inquiry.ts'
import type { Node } from '../../model/node.ts'
import type { PlanFinding } from '../../model/roll-plan.ts'
import { WorldError } from '../../model/world-error.ts'
import type { Host } from '../../ports/host.ts'
import { mapAtOnce } from '../../runtime/map-at-once.ts'

interface HostsAsked {
  /** The nodes to roll: their machines are asked. */
  readonly nodes: readonly Node[]
  /** Every node of the cluster: any of them may be the way to another. */
  readonly all: readonly Node[]
}

/** Handshakes cost the machine we run on its time. */
const ASKED_AT_ONCE = 8

/** Asks every machine before the first step, and judges the answers. Changes nothing. */
export async function inspectHosts(
  host: Host,
  { nodes, all }: HostsAsked,
  signal: AbortSignal,
): Promise<readonly PlanFinding[]> {
  const [ownBootId, inquiries] = await Promise.all([
    host.ownBootId(signal),
    mapAtOnce(nodes, ASKED_AT_ONCE, (node) => inquire(host, node, signal)),
  ])
  return hostFindings(inquiries, { ownBootId, all })
}

async function inquire(host: Host, node: Node, signal: AbortSignal): Promise<HostInquiry> {
  const target = { node: node.name, address: node.internalAddresses[0] ?? '' }
  try {
    return { node, answer: { kind: 'facts', facts: await host.check(target, signal) } }
  } catch (error) {
    if (!(error instanceof WorldError)) throw error
    return { node, answer: { kind: 'failed', code: error.code, text: error.message } }
  }
}
