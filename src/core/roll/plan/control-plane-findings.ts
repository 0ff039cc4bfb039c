import { isControlPlane, type Node } from '../../../model/node.ts'
import type { Pod } from '../../../model/pod.ts'
import type { PlanFinding } from '../../../model/roll-plan.ts'

/** What is left of the API and of etcd while one of these nodes is away. `pods`: those of kube-system at least. */
export function controlPlaneFindings(pods: readonly Pod[], nodes: readonly Node[]): readonly PlanFinding[] {
  const planes = nodes.filter(isControlPlane)
  if (planes.length === 0) return []
  const members = pods.filter((pod) => isStatic(pod, 'etcd'))
  const servers = pods.filter((pod) => isStatic(pod, 'kube-apiserver'))
  return [...apiFindings(servers, planes), ...etcdFindings(members, planes)]
}

/** As kubeadm and its likes label them: mirror pods in kube-system. */
const isStatic = ({ namespace, mirror, labels }: Pod, component: string): boolean =>
  mirror && namespace === 'kube-system' && labels.component === component

function apiFindings(servers: readonly Pod[], planes: readonly Node[]): readonly PlanFinding[] {
  return planes.flatMap(({ name }) => {
    const others = servers.filter(({ nodeName }) => nodeName !== name)
    const isThere = others.length < servers.length
    if (!isThere || others.some(({ ready }) => ready)) return []
    const left =
      others.length === 0 ? 'has the only API server' : `has the only API server that is Ready of ${servers.length}`
    return [
      {
        severity: others.length === 0 ? 'warning' : 'block',
        code: 'LastApiServer',
        node: name,
        text: `${name} ${left}: the cluster cannot be changed while it is away`,
        fix:
          others.length === 0
            ? 'add a control-plane node, or roll it while nothing has to change'
            : 'repair the other API servers first: kubectl -n kube-system get pods -l component=kube-apiserver',
      },
    ]
  })
}

function etcdFindings(members: readonly Pod[], planes: readonly Node[]): readonly PlanFinding[] {
  if (members.length === 0) return [unseen(planes)]
  const quorum = Math.floor(members.length / 2) + 1
  const lost = planes.filter(({ name }) => {
    const left = members.filter(({ nodeName, ready }) => ready && nodeName !== name).length
    return members.some(({ nodeName }) => nodeName === name) && left < quorum
  })
  const [first] = lost
  if (first === undefined) return []
  const ready = members.filter((member) => member.ready).length
  const where = lost.length === 1 ? { node: first.name } : { nodes: lost.map(({ name }) => name) }
  const which = lost.length === 1 ? first.name : `any of ${lost.map(({ name }) => name).join(', ')}`
  if (members.length === 1) {
    const text = `${first.name} has the only member of etcd: the API is away while it reboots`
    const fix = 'take a backup of etcd first; add members to have none of this'
    return [{ severity: 'warning', code: 'EtcdQuorum', ...where, text, fix }]
  }
  return [
    {
      severity: 'block',
      code: 'EtcdQuorum',
      ...where,
      text: `etcd has ${members.length} members, ${ready} of them Ready, and needs ${quorum}: without ${which} it has no quorum`,
      fix: 'repair the other members, or add one: kubectl -n kube-system get pods -l component=etcd -o wide',
    },
  ]
}

function unseen(planes: readonly Node[]): PlanFinding {
  const names = planes.map(({ name }) => name)
  return {
    severity: 'warning',
    code: 'EtcdUnseen',
    ...(names.length === 1 ? { node: names[0] ?? '' } : { nodes: names }),
    text: `no pod of etcd is seen (label component=etcd in kube-system), so its quorum is not known while ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} rolled`,
    fix: 'check its members by hand: etcdctl endpoint health --cluster',
  }
}
