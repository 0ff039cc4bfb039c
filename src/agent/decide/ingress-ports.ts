import { type IngressFacts, ingressName } from './ingress-facts.ts'

/** More ports than a node has ingresses for: anyone who may make Deployments can ask for some. */
const PORTS_MAX = 64

interface AllottedPorts {
  /** Whose answer is given at each port: the UID of a Deployment. */
  readonly ports: ReadonlyMap<number, string>
  /** For people: which ports are asked for and not served, and why. */
  readonly trouble: readonly string[]
}

/**
 * Which port is whose. Of two that ask for one the older Deployment has it: its age is not up to those who write it, so no
 * later one takes a port away, and each node decides alike.
 *
 * Law: a port that answers for one IngressDaemonSet is never given to a younger one that asks for it.
 */
export function allotPorts(facts: readonly IngressFacts[], own: ReadonlySet<number>): AllottedPorts {
  const ports = new Map<number, string>()
  const owners = new Map<number, IngressFacts>()
  const trouble: string[] = []
  for (const one of facts.toSorted(byAge)) {
    for (const port of one.order?.ports ?? []) {
      const why = whyNot({ port, own, owner: owners.get(port), count: ports.size })
      if (why === undefined) {
        ports.set(port, one.uid)
        owners.set(port, one)
      } else trouble.push(`port ${port} of ${ingressName(one)} is not served: ${why}`)
    }
  }
  // One object may ask for many, and each line of them would be told again and again.
  return { ports, trouble: trouble.slice(0, PORTS_MAX) }
}

interface Asked {
  readonly port: number
  readonly own: ReadonlySet<number>
  readonly owner: IngressFacts | undefined
  readonly count: number
}

function whyNot({ port, own, owner, count }: Asked): string | undefined {
  if (own.has(port)) return 'it is a port of the agent'
  if (owner !== undefined) return `it is a port of ${ingressName(owner)}, which is older`
  return count >= PORTS_MAX ? `${PORTS_MAX} ports of this node are served already` : undefined
}

const byAge = (one: IngressFacts, other: IngressFacts): number =>
  one.createdAt - other.createdAt || (one.uid < other.uid ? -1 : 1)
