import { type IngressReading, ingressName } from './ingress-reading.ts'

/** More ports than a node has ingresses: anyone who may create Deployments can request some. */
const PORTS_MAX = 64

/** Both included. */
export interface PortRange {
  readonly from: number
  readonly to: number
}

/**
 * Ports of etcd, of the API server, and of kubelet, kube-proxy, controller manager and scheduler, by their defaults. A component that restarts
 * must find its port free: the agent would keep it, also while the API server is away, and nobody could tell it otherwise.
 */
const OF_NODE_COMPONENTS: readonly PortRange[] = [
  { from: 2_379, to: 2_381 },
  { from: 6_443, to: 6_443 },
  { from: 10_248, to: 10_259 },
]

/** Which ports may be served at all. */
interface Servable {
  /** Those of the agent itself. */
  readonly own: ReadonlySet<number>
  /** Absent: each port. */
  readonly range?: PortRange
}

interface AllottedPorts {
  /** The UID of the Deployment whose answer is given at each port. */
  readonly ports: ReadonlyMap<number, string>
  /** For people: the ports that are requested and not served, and why. */
  readonly trouble: readonly string[]
}

/**
 * Which port is whose. Of two that ask for one the older Deployment has it: its age is not up to those who write it, so no
 * later one takes a port away, and each node decides alike.
 *
 * Law: agents never open a port of a node component.
 *
 * Law: a port that answers for one IngressDaemonSet is never given to a younger one that asks for it.
 */
export function allotPorts(readings: readonly IngressReading[], servable: Servable): AllottedPorts {
  const ports = new Map<number, string>()
  const owners = new Map<number, IngressReading>()
  const trouble: string[] = []
  for (const one of readings.toSorted(byAge)) {
    for (const port of one.order?.ports ?? []) {
      const why = whyNot({ port, ...servable, owner: owners.get(port), count: ports.size })
      if (why === undefined) {
        ports.set(port, one.uid)
        owners.set(port, one)
      } else trouble.push(`port ${port} of ${ingressName(one)} is not served: ${why}`)
    }
  }
  // One object may request many ports, and each line of them would be logged again and again.
  return { ports, trouble: trouble.slice(0, PORTS_MAX) }
}

interface Asked extends Servable {
  readonly port: number
  readonly owner: IngressReading | undefined
  readonly count: number
}

function whyNot({ port, own, range, owner, count }: Asked): string | undefined {
  if (own.has(port)) return 'it is a port of the agent'
  if (OF_NODE_COMPONENTS.some((one) => isIn(port, one))) return 'it is a port of a component of Kubernetes'
  if (range !== undefined && !isIn(port, range))
    return `it is not one of ${range.from} to ${range.to}, which --ingress-ports allows`
  if (owner !== undefined) return `it is a port of ${ingressName(owner)}, which is older`
  return count >= PORTS_MAX ? `${PORTS_MAX} ports of this node are served already` : undefined
}

const byAge = (one: IngressReading, other: IngressReading): number =>
  one.createdAt - other.createdAt || (one.uid < other.uid ? -1 : 1)

const isIn = (port: number, { from, to }: PortRange): boolean => port >= from && port <= to
