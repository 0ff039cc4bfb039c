import { isControlPlane, type Node } from '../../../ground/model/node.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import { present } from '../../../ground/model/present.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import {
  apiWithout,
  asGoing,
  carriesMember,
  etcdWithout,
  memberName,
  membersOf,
  notThere,
  quorumText,
  whoGoes,
} from '../control-plane.ts'

/** Nodes that are away or about to go, for whichever owner, with the reason. */
type Going = ReadonlyMap<string, string>

/** What is left of the API and of etcd while one of these nodes is away. `pods` has at least those of kube-system. */
export function controlPlaneFindings(
  pods: readonly Pod[],
  nodes: readonly Node[],
  going: Going = new Map(),
): readonly PlanFinding[] {
  // As for the roll: what counts is what a node carries, whatever its labels say.
  const planes = nodes.filter((node) => isControlPlane(node) || carriesMember(pods, node.name))
  if (planes.length === 0) return []
  const members = membersOf(pods, 'etcd').map((pod) => asGoing(pod, going))
  const servers = membersOf(pods, 'kube-apiserver').map((pod) => asGoing(pod, going))
  return [
    ...apiFindings(servers, planes),
    ...etcdFindings(members, planes, going),
    ...waitFindings({ members, servers, going }, planes),
  ]
}

/** Nodes by a selector are put in order; named nodes keep the order of their names in the file. */
export function orderFindings({ names: named }: RollSpec['nodes'], nodes: readonly Node[]): readonly PlanFinding[] {
  if (named.length === 0) return []
  const lastWorker = nodes.findLastIndex((node) => !isControlPlane(node))
  const early = nodes.slice(0, Math.max(0, lastWorker)).filter(isControlPlane)
  const [worker] = nodes.slice(lastWorker)
  if (early.length === 0 || worker === undefined) return []
  const names = early.map(({ name }) => name)
  const order = [...nodes.filter((node) => !isControlPlane(node)), ...nodes.filter(isControlPlane)]
  return [
    {
      severity: 'warning',
      code: 'ControlPlaneEarly',
      ...at(names),
      text: `${names.join(', ')} of the control plane ${names.length === 1 ? 'is' : 'are'} rolled before ${worker.name}, a worker: the nodes come as they were named`,
      fix: `name the workers first: ${order.map(({ name }) => name).join(' ')}`,
    },
  ]
}

const at = (names: readonly string[]): Pick<PlanFinding, 'node' | 'nodes'> =>
  names.length === 1 ? { node: names[0] ?? '' } : { nodes: names }

function apiFindings(servers: readonly Pod[], planes: readonly Node[]): readonly PlanFinding[] {
  return planes.flatMap(({ name }): readonly PlanFinding[] => {
    const { kind } = apiWithout(servers, name)
    if (kind !== 'only' && kind !== 'lost') return []
    const left =
      kind === 'only' ? 'has the only API server' : `has the only API server that is Ready of ${servers.length}`
    return [
      {
        severity: kind === 'only' ? 'warning' : 'block',
        code: 'LastApiServer',
        node: name,
        text: `${name} ${left}: the cluster cannot be changed while it is away`,
        fix:
          kind === 'only'
            ? 'add a control-plane node, or roll it while nothing has to change'
            : say`repair the other API servers first: ${kubectl`-n kube-system get pods -l component=kube-apiserver`}`,
      },
    ]
  })
}

function etcdFindings(members: readonly Pod[], planes: readonly Node[], going: Going): readonly PlanFinding[] {
  if (members.length === 0) return [unseen(planes)]
  const only = planes.find(({ name }) => etcdWithout(members, name).kind === 'only')
  if (only !== undefined) {
    const text = `${only.name} has the only member of etcd: the API is away while it reboots`
    const fix = 'take a backup of etcd first; add members to have none of this'
    return [{ severity: 'warning', code: 'EtcdQuorum', node: only.name, text, fix }]
  }
  const lost = planes.map(({ name }) => name).filter((name) => etcdWithout(members, name).kind === 'lost')
  const [first] = lost
  if (first === undefined) return []
  const which = lost.length === 1 ? first : `any of ${lost.join(', ')}`
  return [
    {
      severity: 'block',
      code: 'EtcdQuorum',
      ...at(lost),
      text: [
        `${quorumText({ members, gone: [] })}: without ${which} it has no quorum`,
        ...whoGoes(members, going),
      ].join('; '),
      fix: say`repair the other members, or add one: ${kubectl`-n kube-system get pods -l component=etcd -o wide`}`,
    },
  ]
}

interface Components {
  readonly members: readonly Pod[]
  readonly servers: readonly Pod[]
  readonly going: Going
}

/** Enough of the other members are Ready, and the roll waits for the rest before it begins such a node. */
function waitFindings({ members, servers, going }: Components, planes: readonly Node[]): readonly PlanFinding[] {
  const left = planes.flatMap(({ name }) => [apiWithout(servers, name), etcdWithout(members, name)])
  const awaited = new Set(left.flatMap((found) => (found.kind === 'waits' ? found.notReady : [])))
  return [...awaited].map((pod) => ({
    severity: 'hold',
    code: 'ControlPlaneNotReady',
    ...present({ node: pod.nodeName }),
    pods: [memberName(pod)],
    text: notThere(pod, going).text,
    fix: kubectl`-n ${pod.namespace} describe pod ${pod.name}`,
  }))
}

function unseen(planes: readonly Node[]): PlanFinding {
  const names = planes.map(({ name }) => name)
  return {
    severity: 'warning',
    code: 'EtcdUnseen',
    ...at(names),
    text: `no pod of etcd is seen (label component=etcd in kube-system), so its quorum is not known while ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} rolled`,
    fix: 'check its members by hand: etcdctl endpoint health --cluster',
  }
}
