import { fillHoldUrl } from '../../../src/ground/model/hold-url.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { CheckAnswer } from '../../../src/service/actuators/mark/io/ask-check.ts'
import type { NodeObject } from '../../../src/sim/actors/node-object.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import type { Accepted } from '../../../src/sim/network/network.ts'
import { Line } from '../../../src/sim/traffic/line.ts'
import { NODES } from '../../../src/sim/world/api-resource.ts'

/** That of kube-proxy. */
export const HEALTH_PORT = 10_256
export const MARK = 'ToBeDeletedByClusterAutoscaler'
export const MARK_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers'
export const MARK_ANNOTATION = 'example.com/out'

/** Whichever program set it, and with whatever value. */
export const isMarked = ({ metadata: { labels = {}, annotations = {} }, spec }: NodeObject): boolean =>
  spec?.taints?.some(({ key }) => key === MARK) === true || MARK_LABEL in labels || MARK_ANNOTATION in annotations

/** From the mark until the answer goes by it, as by a watch. */
const LATE_MS = 300
const LOOK_EVERY_MS = 50

/**
 * What answers health checks at port 10256 of each machine: 503 while its Node has a mark, as kube-proxy does for the taint of the
 * Cluster Autoscaler. It begins again with the machine, and answers nothing before it has read its Node.
 */
export class VirtualHealthChecks {
  readonly #cluster: VirtualCluster
  readonly #hosts: ReadonlyMap<string, string>
  readonly #end = new Map<string, () => void>()
  readonly #boots = new Map<string, string | undefined>()
  readonly #answers = new Map<string, boolean>()
  #callOff: () => void = () => undefined

  constructor(cluster: VirtualCluster) {
    this.#cluster = cluster
    const { servers = [] } = cluster.instances.flatMap(({ balancer }) => balancer.state.backends)[0] ?? {}
    this.#hosts = new Map(servers.map(({ config: { name, address } }) => [name, address]))
    this.#look()
  }

  end(): void {
    this.#callOff()
    for (const end of this.#end.values()) end()
  }

  #look(): void {
    const { world, time } = this.#cluster
    for (const node of [...world.store.all(NODES)] as NodeObject[]) this.#follow(node)
    this.#callOff = time.later(LOOK_EVERY_MS, () => this.#look())
  }

  #follow(node: NodeObject): void {
    const { name } = node.metadata
    const { machines, network, time } = this.#cluster
    const bootId = machines.get(name)?.bootId
    const isGood = !isMarked(node)
    if (bootId !== this.#boots.get(name)) {
      this.#end.get(name)?.()
      this.#end.delete(name)
      this.#boots.set(name, bootId)
      this.#answers.set(name, isGood)
      const host = this.#hosts.get(name)
      if (bootId !== undefined && host !== undefined)
        this.#end.set(name, network.listen({ host, port: HEALTH_PORT }, { accept: () => this.#accept(name) }))
    }
    if (isGood !== this.#answers.get(name)) time.later(LATE_MS, () => this.#answers.set(name, isGood))
  }

  #accept(name: string): Accepted {
    return {
      bind: () => undefined,
      closed: () => undefined,
      request: (_request, reply) => {
        const isGood = this.#answers.get(name) ?? true
        reply({ status: isGood ? 200 : 503, body: JSON.stringify({ nodeEligible: isGood }), closes: true })
      },
    }
  }
}

const ASK_LIMIT_MS = 900

/** One GET of the health check over the virtual network; see `NodeChecks`. */
export const askVirtualCheck =
  ({ network, time }: VirtualCluster, template: string) =>
  ({ name: node, internalAddresses: [address = ''] }: Node): Promise<CheckAnswer> => {
    const { promise, resolve } = Promise.withResolvers<CheckAnswer>()
    const { hostname: host, port, pathname: path } = new URL(fillHoldUrl(template, { node, address }))
    const line = new Line({ network, to: { host, port: Number(port) }, isKept: false })
    const callOff = time.later(ASK_LIMIT_MS, () => {
      line.giveUp()
      resolve({ answer: 'unheard', text: 'it did not answer in time' })
    })
    line.ask({ path }, (heard) => {
      callOff()
      if (heard.kind !== 'reply') return resolve({ answer: 'unheard', text: heard.kind })
      const { status } = heard.reply
      resolve(status < 400 ? { answer: 'good', text: 'good' } : { answer: 'refused', text: `HTTP ${status}` })
    })
    return promise
  }
