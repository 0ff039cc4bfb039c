import type { Pod } from '../../ground/model/pod.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { kubectl, say } from '../../ground/model/sentence.ts'
import type { NodeSnapshot } from './node-snapshot.ts'
import { podsHere } from './pods-here.ts'

type Component = 'etcd' | 'kube-apiserver'

/** Mirror pods of one component in kube-system, as kubeadm and similar installers label them. */
export const membersOf = (pods: readonly Pod[], component: Component): readonly Pod[] =>
  pods.filter((pod) => isMember(pod, component))

const isMember = ({ mirror, namespace, labels }: Pod, component: Component): boolean =>
  mirror && namespace === 'kube-system' && labels.component === component

/**
 * What is left of a component while a node is away. `only`: the cluster has no other member, so that waiting is useless.
 * `lost`: too few of the other members are Ready. `waits`: enough are Ready, but one is not.
 */
type Left = { readonly kind: 'kept' | 'only' | 'lost' } | { readonly kind: 'waits'; readonly notReady: readonly Pod[] }

/** One API server is enough. */
export const apiWithout = (servers: readonly Pod[], node: string): Left => without(servers, node, 1)

export const etcdWithout = (members: readonly Pod[], node: string): Left => without(members, node, quorumOf(members))

const quorumOf = ({ length }: readonly Pod[]): number => Math.floor(length / 2) + 1

function without(members: readonly Pod[], node: string, needed: number): Left {
  const others = members.filter(({ nodeName }) => nodeName !== node)
  if (others.length === members.length) return { kind: 'kept' }
  if (others.length === 0) return { kind: 'only' }
  const notReady = others.filter(({ ready }) => !ready)
  if (others.length - notReady.length < needed) return { kind: 'lost' }
  return notReady.length === 0 ? { kind: 'kept' } : { kind: 'waits', notReady }
}

/**
 * Checked before a node of the control plane is begun, before its reboot is announced and before the command is sent: the other
 * members answer without it.
 * The only API server and the only member of etcd may go, as the plan has said. Where no etcd is seen, as where it runs
 * elsewhere, nothing is waited for.
 *
 * Law: no node is begun without which etcd would lose its quorum.
 */
export function controlPlaneKept(s: NodeSnapshot): readonly Reason[] {
  const { name } = s.current.node
  const here = podsHere(s)
  return (['kube-apiserver', 'etcd'] as const).flatMap((component) => {
    if (!here.some((pod) => isMember(pod, component))) return []
    const members = membersOf(s.cluster.pods, component)
    const left = component === 'etcd' ? etcdWithout(members, name) : apiWithout(members, name)
    if (left.kind === 'lost') return [component === 'etcd' ? quorumLost(members, name) : lastApiServer(members, name)]
    return left.kind === 'waits' ? left.notReady.map(notReady) : []
  })
}

const quorumLost = (members: readonly Pod[], node: string): Reason => ({
  code: 'EtcdQuorum',
  object: node,
  text: `${quorumText(members)}: without ${node} it has no quorum`,
  next: say`repair the other members: ${kubectl`-n kube-system get pods -l component=etcd -o wide`}`,
})

export const quorumText = (members: readonly Pod[]): string =>
  `etcd has ${members.length} members, ${members.filter(({ ready }) => ready).length} of them Ready, and needs ${quorumOf(members)}`

const lastApiServer = ({ length }: readonly Pod[], node: string): Reason => ({
  code: 'LastApiServer',
  object: node,
  text: `of ${length} API servers, only that of ${node} is Ready`,
  next: say`repair the other API servers: ${kubectl`-n kube-system get pods -l component=kube-apiserver -o wide`}`,
})

const notReady = (pod: Pod): Reason => ({
  code: 'ControlPlaneNotReady',
  object: memberName(pod),
  text: notReadyText(pod),
})

export const memberName = ({ namespace, name }: Pod): string => `${namespace}/${name}`

export const notReadyText = (pod: Pod): string =>
  `static pod ${memberName(pod)} of ${pod.nodeName ?? 'no node'} is not Ready, and the control plane waits for each of its members`
