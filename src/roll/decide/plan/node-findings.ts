import { isBootId } from '../../../ground/model/boot-id.ts'
import { firstOf } from '../../../ground/model/first-of.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { present } from '../../../ground/model/present.ts'
import { evenkeel, kubectl, say } from '../../../ground/model/sentence.ts'
import { wordsOf } from '../../../service/actuators/actuator-of.ts'
import { budgetNode } from '../../../service/decide/budget/budget-node.ts'
import { whoIsOut } from '../../../service/decide/budget/who-is-out.ts'
import type { InstanceSnapshot } from '../../../service/decide/instance-snapshot.ts'
import { lastUsableServers } from '../../../service/decide/last-server.ts'
import { isRelied } from '../../../service/decide/last-usable-server.ts'
import {
  allowedServers,
  belongsTo,
  matchNodeServers,
  serversOfNoNode,
} from '../../../service/decide/match-node-servers.ts'
import { sharedAddresses } from '../../../service/decide/shared-addresses.ts'
import { RECORD_ANNOTATION } from '../../../service/model/node-record.ts'
import { parseNodeRecord } from '../../../service/model/parse-node-record.ts'
import { waysBack } from '../ways-back.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'

/** What forbids to roll one node, as far as the node and its balancers show; one entry for each check. */
export const nodeChecks = (s: PlanSnapshot, node: Node): readonly (readonly PlanFinding[])[] => [
  ...placeChecks(s, node),
  recorded(node),
  notReady(node),
]

/** What is read of all nodes and of the balancers. */
export interface Places extends Pick<PlanSnapshot, 'spec' | 'instances'> {
  readonly cluster: Pick<PlanSnapshot['cluster'], 'nodes'>
}

/** Whether the node can be told from others, and taken out of each balancer, with a server left there. */
export const placeChecks = (s: Places, node: Node): readonly (readonly PlanFinding[])[] => [
  addresses(s, node),
  bootIds(s, node),
  unbalanced(s, node),
  elsewhere(s, node),
  unreachable(s, node),
  last(s, node),
]

const addresses = ({ cluster }: Places, node: Node): readonly PlanFinding[] =>
  sharedAddresses(node, cluster.nodes).map(({ code, text, next }) => ({
    severity: 'error',
    code,
    node: node.name,
    text,
    ...present({ fix: next }),
  }))

/**
 * A boot id is that of a kernel: nodes that are containers of one machine have one, and none of them ever shows another. A kubelet of
 * Windows gives the number of boots of its machine, which others may have as well.
 */
function bootIds({ cluster }: Places, { name, bootId }: Node): readonly PlanFinding[] {
  const alike = isBootId(bootId) ? (byBootId(cluster.nodes).get(bootId) ?? []) : []
  const others = alike.filter((other) => other.name !== name)
  if (others.length === 0) return []
  return [
    {
      severity: 'error',
      code: 'BootIdShared',
      node: name,
      text: `${name} has the boot id of ${firstOf(others.map((other) => other.name))}: they share a kernel, so no reboot of ${name} could be seen`,
      fix: 'roll nodes that are machines of their own; nodes of kind, k3d or LXC are containers of one',
    },
  ]
}

/** Each node of a plan asks: a list is indexed once. */
const BY_BOOT_ID = new WeakMap<readonly Node[], ReadonlyMap<string, readonly Node[]>>()

function byBootId(nodes: readonly Node[]): ReadonlyMap<string, readonly Node[]> {
  const known = BY_BOOT_ID.get(nodes) ?? Map.groupBy(nodes, ({ bootId }) => bootId)
  BY_BOOT_ID.set(nodes, known)
  return known
}

function unbalanced({ spec, instances }: Places, node: Node): readonly PlanFinding[] {
  if (spec.nodes.allowUnbalanced || matchNodeServers(node, instances).length > 0) return []
  // An instance that did not answer may well lead here; its silence is an error of its own.
  if (instances.some(({ reading }) => reading === undefined)) return []
  const addresses = node.internalAddresses.join(', ') || 'no InternalIP'
  return [
    {
      severity: 'error',
      code: 'NodeUnbalanced',
      node: node.name,
      text: `${node.name} (${addresses}) matches no server of any balancer, so nothing would be detached`,
      fix: 'add its backend under "balancers", or set nodes.allowUnbalanced',
    },
  ]
}

/**
 * One instance of a balancer has the node, and another one sends to servers that lead to no node that is known. The node may be one of
 * them, by another address, and would go on being sent clients there.
 */
function elsewhere({ spec, cluster, instances }: Places, node: Node): readonly PlanFinding[] {
  if (spec.nodes.allowUnbalanced) return []
  const has = (instance: InstanceSnapshot): boolean => matchNodeServers(node, [instance]).length > 0
  return instances.flatMap((instance): readonly PlanFinding[] => {
    const others = instances.filter((other) => other.balancer === instance.balancer && has(other))
    // A spare server of a template is in maint, and what is not resolved yet is sent nothing.
    const unknown = serversOfNoNode(instance, cluster.nodes).filter(
      ({ address, adminState }) => address !== '' && adminState === 'ready',
    )
    if (others.length === 0 || has(instance) || unknown.length === 0) return []
    const places = firstOf(
      unknown.map(({ ref, address, port }) => `${ref.backend}/${ref.server} at ${address}:${port}`),
    )
    return [
      {
        severity: 'error',
        code: 'NodeNotOnInstance',
        node: node.name,
        text: `${instance.instance} does not list ${node.name}, which ${firstOf(others.map((other) => other.instance))} has, and sends to servers of no known node: ${places}. If one is ${node.name} by another address, it would not be taken out there`,
        fix: `give ${instance.instance} the InternalIP of each node, or set nodes.allowUnbalanced if it does not send to ${node.name}`,
      },
    ]
  })
}

export function recorded(node: Node): readonly PlanFinding[] {
  const text = node.annotations[RECORD_ANNOTATION]
  if (text === undefined) return []
  const parsed = parseNodeRecord(text)
  const what = parsed.ok
    ? { text: `${node.name} is kept out by run ${parsed.value.run}`, fix: waysBack(parsed.value.run) }
    : {
        text: `${node.name} carries a record that cannot be read: ${parsed.why}`,
        fix: say`put ${node.name} back by hand (docs/put-a-node-back.md), then: ${kubectl`annotate node ${node.name} ${RECORD_ANNOTATION}-`}`,
      }
  return [{ severity: 'error', code: 'NodeRecorded', node: node.name, ...what }]
}

const unreachable = ({ instances }: Places, node: Node): readonly PlanFinding[] =>
  matchNodeServers(node, instances).flatMap((matched) => wordsOf(matched.reading).findings(node, matched))

const last = ({ instances }: Places, node: Node): readonly PlanFinding[] =>
  instances.flatMap((instance) =>
    (leavesOthers(node, instance) ? [] : lastUsableServers(node, [instance])).map(
      ({ code, object = '', text, next }): PlanFinding => {
        const backend = object.slice(0, object.indexOf('/'))
        const others = allowedServers(instance).filter(
          (reading) => reading.ref.backend === backend && !belongsTo(reading, node),
        )
        // Waiting does not help: no other server is there, up or down, or none but backups, which HAProxy never makes anything else.
        const isForGood = others.every(({ backup }) => backup)
        const fix = isForGood && others.length > 0 ? noBackup(backend) : next
        return { severity: isForGood ? 'block' : 'hold', code, node: node.name, text, ...present({ fix }) }
      },
    ),
  )

/** For nearly every node its own servers show this; to go through all servers for each node takes minutes. */
function leavesOthers(node: Node, instance: InstanceSnapshot): boolean {
  const own = matchNodeServers(node, [instance]).map(({ reading }) => reading)
  const reliedHere = (backend: string): number => own.filter((it) => it.ref.backend === backend && isRelied(it)).length
  return own.every(({ ref }) => (reliedOn(instance).get(ref.backend) ?? 0) > reliedHere(ref.backend))
}

const RELIED = new WeakMap<InstanceSnapshot, ReadonlyMap<string, number>>()

/** How many servers of each backend are reliable, counted once for all nodes. */
function reliedOn(instance: InstanceSnapshot): ReadonlyMap<string, number> {
  const known = RELIED.get(instance)
  if (known !== undefined) return known
  const relied = Map.groupBy(allowedServers(instance).filter(isRelied), ({ ref }) => ref.backend)
  const counts = new Map([...relied].map(([backend, servers]) => [backend, servers.length]))
  RELIED.set(instance, counts)
  return counts
}

const noBackup = (backend: string): string =>
  `every other server of ${backend} is a "backup", which does not count: take that word out of one of their lines, or set allowLastServer if they may carry the traffic`

const notReady = (node: Node): readonly PlanFinding[] =>
  node.ready === 'True'
    ? []
    : [
        {
          severity: 'hold',
          code: 'NodeNotReady',
          node: node.name,
          text: `${node.name} is not Ready (Ready is ${node.ready})`,
          fix: say`repair it, or leave it out: ${kubectl`describe node ${node.name}`}`,
        },
      ]

/** As `nodesGoing` of a roll under way: what runs on such a node is as good as gone, though it still reads Ready. */
export const nodesAway = ({ cluster }: PlanSnapshot): ReadonlyMap<string, string> =>
  new Map(
    whoIsOut({
      nodes: cluster.nodes.map(budgetNode),
      places: [],
      cordons: 'unknown',
      slots: [],
      returning: new Set(),
    }).map(({ node, why: [first] }) => [node, `${node} ${first.text}`]),
  )

/** Nodes of the cluster that use up the budget before the roll begins; for a node with a record see `recorded`. */
export const budgetFindings = ({ cluster, instances }: PlanSnapshot): readonly PlanFinding[] =>
  whoIsOut({
    nodes: cluster.nodes.filter(({ annotations }) => !(RECORD_ANNOTATION in annotations)).map(budgetNode),
    places: instances,
    cordons: 'unknown',
    slots: [],
    returning: new Set(),
  }).map(({ node, why: [first] }) => ({
    severity: 'hold',
    code: 'OtherNodeBad',
    node,
    text: `${node} ${first.text} and uses up the node budget while others are rolled`,
    fix: say`bring it back; what counts as out: ${evenkeel`budget`}`,
  }))
