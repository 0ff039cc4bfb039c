import type { NodeObject } from '../actors/node-object.ts'
import type { PodObject, PodSpec } from '../actors/pod-object.ts'
import { UNUSED, type Usage } from './node-usage.ts'
import type { PlacedPods } from './placed-pods.ts'
import { amountsOf, requestsOf } from './pod-requests.ts'
import { type NodeRule, type Refusal, refusal } from './refusal.ts'

/** By what the node has left: number of pods, cpu, memory, and whatever else is requested (noderesources/fit.go). */
export const roomRule =
  ({ spec }: PodObject, placed: PlacedPods): NodeRule =>
  (node) =>
    roomRefusal(node, spec, placed.usageOf(node.metadata.name))

/** A node that nothing runs on would have room. */
export const wouldFit = (node: NodeObject, spec: PodSpec): boolean => roomRefusal(node, spec, UNUSED) === undefined

function roomRefusal({ status }: NodeObject, spec: PodSpec, used: Usage): Refusal | undefined {
  const allocatable = amountsOf(status?.allocatable)
  const reasons = used.pods + 1 > (allocatable.get('pods') ?? 0) ? ['Too many pods'] : []
  let isFinal = false
  for (const [name, amount] of requestsOf(spec)) {
    const has = allocatable.get(name) ?? 0
    if (amount === 0 || amount <= has - (used.amounts.get(name) ?? 0)) continue
    reasons.push(`Insufficient ${name}`)
    isFinal ||= amount > has
  }
  return reasons.length === 0 ? undefined : { plugin: 'NodeResourcesFit', reasons, isFinal }
}

/** Some resource that the pod requests has become more. */
export function hasGrown(now: NodeObject, before: NodeObject, spec: PodSpec): boolean {
  const [has, had] = [amountsOf(now.status?.allocatable), amountsOf(before.status?.allocatable)]
  const isMore = (name: string): boolean => (has.get(name) ?? 0) > (had.get(name) ?? 0)
  return isMore('pods') || [...requestsOf(spec)].some(([name, amount]) => amount > 0 && isMore(name))
}

interface HostPort {
  readonly ip: string
  readonly port: string
}

const EVERY_IP = '0.0.0.0'

/** By the ports of the node that its pods have taken (nodeports/node_ports.go); undefined: the pod wants none. */
export function portRule({ spec }: PodObject, placed: PlacedPods): NodeRule | undefined {
  const wanted = hostPortsOf(spec)
  if (wanted.length === 0) return undefined
  return ({ metadata: { name } }) =>
    placed.onNode(name).some((other) => collide(wanted, hostPortsOf(other.spec)))
      ? refusal('NodePorts', "node(s) didn't have free ports for the requested pod ports")
      : undefined
}

/** In the network of the node every port is one of the node (pkg/apis/core/v1/defaults.go, defaultHostNetworkPorts). */
export const hostPortsOf = ({ containers, initContainers = [], hostNetwork = false }: PodSpec): readonly HostPort[] =>
  [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')].flatMap(
    ({ ports = [] }) =>
      ports.flatMap(({ hostPort, containerPort, hostIP = '', protocol = 'TCP' }) => {
        const number = hostPort ?? (hostNetwork ? containerPort : 0)
        return number > 0 ? [{ ip: hostIP === '' ? EVERY_IP : hostIP, port: `${protocol} ${number}` }] : []
      }),
  )

/** The same port on the same address; all addresses are the same as any (framework/types.go, HostPortInfo). */
export const collide = (some: readonly HostPort[], others: readonly HostPort[]): boolean =>
  some.some((a) => others.some((b) => a.port === b.port && (a.ip === b.ip || a.ip === EVERY_IP || b.ip === EVERY_IP)))
