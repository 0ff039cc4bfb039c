import type { Pod } from '../../ground/model/pod.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { kubectl, say } from '../../ground/model/sentence.ts'
import type { RollPlan } from '../model/roll-plan.ts'
import { nodesGoing } from './bad-nodes.ts'
import type { NodeSnapshot } from './node-snapshot.ts'
import { podsHere } from './pods-here.ts'

/** Static pods of the control plane that the rest of it needs. */
const COMPONENTS = ['kube-apiserver', 'etcd'] as const

type Component = (typeof COMPONENTS)[number]

/** Mirror pods of one component in kube-system, as kubeadm and similar installers label them. */
export const membersOf = (pods: readonly Pod[], component: Component): readonly Pod[] =>
  pods.filter((pod) => isMember(pod, component))

const isMember = ({ mirror, namespace, labels }: Pod, component: Component): boolean =>
  mirror && namespace === 'kube-system' && labels.component === component

/** A node that carries a member of the control plane is never begun beside another one, whatever its labels say. */
export const carriesMember = (pods: readonly Pod[], node: string): boolean =>
  pods.some((pod) => pod.nodeName === node && COMPONENTS.some((component) => isMember(pod, component)))

/** Undefined where none is seen. */
export function memberNodes(pods: readonly Pod[]): RollPlan['members'] {
  const of = (component: Component): readonly string[] =>
    membersOf(pods, component).flatMap(({ nodeName }) => nodeName ?? [])
  const members = { 'kube-apiserver': of('kube-apiserver'), etcd: of('etcd') }
  return COMPONENTS.some((component) => members[component].length > 0) ? members : undefined
}

/**
 * What is left of a component while a node is away. `only`: the cluster has no other member, so that waiting is useless.
 * `lost`: too few of the other members are Ready. `waits`: enough are Ready, but one is not.
 */
type Left = { readonly kind: 'kept' | 'only' | 'lost' } | { readonly kind: 'waits'; readonly notReady: readonly Pod[] }

/** One API server is enough. */
export const apiWithout = (servers: readonly Pod[], node: string, gone: readonly string[] = []): Left =>
  without(servers, node, { needed: 1, gone })

export const etcdWithout = (members: readonly Pod[], node: string, gone: readonly string[] = []): Left =>
  without(members, node, { needed: quorumOf(members.length + gone.length), gone })

const quorumOf = (members: number): number => Math.floor(members / 2) + 1

interface Needed {
  readonly needed: number
  /** Nodes whose member has no pod any more, as while an upgrade moves its file: it may be back at any moment. */
  readonly gone: readonly string[]
}

function without(members: readonly Pod[], node: string, { needed, gone }: Needed): Left {
  const others = members.filter(({ nodeName }) => nodeName !== node)
  const otherGone = gone.filter((other) => other !== node)
  if (others.length === members.length && otherGone.length === gone.length) return { kind: 'kept' }
  if (others.length + otherGone.length === 0) return { kind: 'only' }
  const notReady = others.filter(({ ready }) => !ready)
  if (others.length - notReady.length < needed) return { kind: 'lost' }
  return notReady.length + otherGone.length === 0 ? { kind: 'kept' } : { kind: 'waits', notReady }
}

/**
 * Checked before a node of the control plane is begun, before its reboot is announced and before the command is sent: the other
 * members answer without it. The only API server and the only member of etcd may go, as the plan has said. A member that was there
 * when the roll was planned is one that is not Ready while its pod is missing, and it may be back at any moment, also that of the node itself.
 * A member whose node is out, or about to leave, for whichever owner, counts as not there: its pod reads Ready until the machine stops, and
 * for some time after that. Where no etcd is seen, as where it runs elsewhere, nothing is waited for.
 *
 * Law: no node is begun without which etcd would lose its quorum.
 */
export function controlPlaneKept(s: NodeSnapshot): readonly Reason[] {
  const { name } = s.current.node
  const here = podsHere(s)
  const carried = COMPONENTS.filter(
    (component) => here.some((pod) => isMember(pod, component)) || s.run.members?.[component].includes(name) === true,
  )
  if (carried.length === 0) return []
  const going = nodesGoing(s)
  return carried.flatMap((component) => {
    const members = membersOf(s.cluster.pods, component).map((pod) => asGoing(pod, going))
    const gone = membersGone(s, component, members)
    const left = component === 'etcd' ? etcdWithout(members, name, gone) : apiWithout(members, name, gone)
    if (left.kind === 'lost') {
      const lost =
        component === 'etcd' ? quorumLost({ members, gone }, name) : lastApiServer(members.length + gone.length, name)
      return [{ ...lost, text: [lost.text, ...whoGoes(members, going)].join('; ') }]
    }
    return left.kind === 'waits'
      ? [
          ...left.notReady.map((pod) => notThere(pod, going)),
          ...gone.flatMap((node) => (node === name ? [] : memberGone(component, node))),
        ]
      : []
  })
}

/** What runs on a node that is away, or about to go, is as good as gone. */
export const asGoing = (pod: Pod, going: ReadonlyMap<string, string>): Pod =>
  pod.nodeName !== undefined && going.has(pod.nodeName) ? { ...pod, ready: false } : pod

export const whoGoes = (members: readonly Pod[], going: ReadonlyMap<string, string>): readonly string[] =>
  members.flatMap(({ nodeName = '' }) => going.get(nodeName) ?? [])

function membersGone({ run, cluster }: NodeSnapshot, component: Component, members: readonly Pod[]): readonly string[] {
  const planned = run.members?.[component] ?? []
  const missing = planned.filter((node) => !members.some(({ nodeName }) => nodeName === node))
  return missing.filter((node) => cluster.nodes.some(({ name }) => name === node))
}

interface Etcd {
  readonly members: readonly Pod[]
  readonly gone: readonly string[]
}

const quorumLost = (etcd: Etcd, node: string): Reason => ({
  code: 'EtcdQuorum',
  object: node,
  text: `${quorumText(etcd)}: without ${node} it has no quorum`,
  next: say`repair the other members: ${kubectl`-n kube-system get pods -l component=etcd -o wide`}`,
})

export function quorumText({ members, gone }: Etcd): string {
  const count = members.length + gone.length
  return `etcd has ${count} members, ${members.filter(({ ready }) => ready).length} of them Ready, and needs ${quorumOf(count)}`
}

const lastApiServer = (length: number, node: string): Reason => ({
  code: 'LastApiServer',
  object: node,
  text: `of ${length} API servers, only that of ${node} is Ready`,
  next: say`repair the other API servers: ${kubectl`-n kube-system get pods -l component=kube-apiserver -o wide`}`,
})

export const notThere = (pod: Pod, going: ReadonlyMap<string, string>): Reason => {
  const why = going.get(pod.nodeName ?? '')
  const text = why === undefined ? notReadyText(pod) : `${why}, and carries static pod ${memberName(pod)}`
  return { code: 'ControlPlaneNotReady', object: memberName(pod), text }
}

const memberGone = (component: Component, node: string): Reason => ({
  code: 'ControlPlaneNotReady',
  object: node,
  text: `the static pod of ${component} on ${node} is missing, and the control plane waits for each of its members`,
})

export const memberName = ({ namespace, name }: Pod): string => `${namespace}/${name}`

const notReadyText = (pod: Pod): string =>
  `static pod ${memberName(pod)} of ${pod.nodeName ?? 'no node'} is not Ready, and the control plane waits for each of its members`
