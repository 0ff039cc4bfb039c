import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import type { Node } from '../../ground/model/node.ts'
import type { PlanFinding } from '../../ground/model/plan-finding.ts'
import { asksMachine, type RebootNeedSpec } from '../../ground/model/reboot-need.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Host } from '../../ground/ports/host.ts'
import { hostFindings, type SshWay } from '../decide/plan/host-findings.ts'
import type { HostInquiry } from '../decide/plan/host-inquiry.ts'
import { type RebootNeed, rebootNeed } from '../decide/plan/reboot-need.ts'

interface HostsAsked {
  readonly ssh?: SshWay
  /** The nodes to roll: their machines are asked. */
  readonly nodes: readonly Node[]
  /** Every node of the cluster: any of them may be the way to another. */
  readonly all: readonly Node[]
  /** Absent: every node is rolled. */
  readonly onlyIfNeeded?: RebootNeedSpec | undefined
  /** The node of the roll's own pod, which moves before that node is rebooted. */
  readonly leaves?: string | undefined
  /** Absent: it is not known how old a condition of a Node is. */
  readonly wall?: WallMs | undefined
}

interface HostsSeen {
  /** Of nodes that are rolled. */
  readonly findings: readonly PlanFinding[]
  /** By name; absent: every node is rolled. */
  readonly needs?: ReadonlyMap<string, RebootNeed>
}

/** Handshakes cost the machine we run on its time. */
const ASKED_AT_ONCE = 8

/** Asks every machine before the first step, and judges the answers. Changes nothing. */
export async function inspectHosts(host: Host, asked: HostsAsked, signal: AbortSignal): Promise<HostsSeen> {
  const { nodes, all, onlyIfNeeded, leaves, ssh, wall } = asked
  const way = ssh === undefined ? {} : { ssh }
  const [ownBootId, inquiries] = await Promise.all([
    host.ownBootId(signal),
    mapAtOnce(nodesToAsk(asked), ASKED_AT_ONCE, (node) => inquire(host, node, signal)),
  ])
  if (onlyIfNeeded === undefined) return { findings: hostFindings(inquiries, { ownBootId, all, leaves, ...way }) }
  const answers = new Map(inquiries.map(({ node, answer }) => [node.name, answer]))
  const needOf = (node: Node) => rebootNeed(node, onlyIfNeeded, { answer: answers.get(node.name), wall })
  const needs = new Map(nodes.map((node) => [node.name, needOf(node)]))
  const rolled = inquiries.filter(({ node }) => needs.get(node.name)?.kind !== 'none')
  return { findings: hostFindings(rolled, { ownBootId, all, leaves, ...way }), needs }
}

/** Where the API alone tells what is needed, machines that need nothing are left in peace. */
const nodesToAsk = ({ nodes, onlyIfNeeded, wall }: HostsAsked): readonly Node[] =>
  onlyIfNeeded === undefined || asksMachine(onlyIfNeeded)
    ? nodes
    : nodes.filter((node) => rebootNeed(node, onlyIfNeeded, { wall }).kind !== 'none')

async function inquire(host: Host, node: Node, signal: AbortSignal): Promise<HostInquiry> {
  const target = { node: node.name, address: node.internalAddresses[0] ?? '' }
  try {
    return { node, answer: { kind: 'answered', reading: await host.check(target, signal) } }
  } catch (error) {
    if (!(error instanceof WorldError)) throw error
    return { node, answer: { kind: 'failed', code: error.code, text: error.message } }
  }
}
