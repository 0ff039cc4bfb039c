import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { EmbeddedCluster } from '../../../src/sim/loopback/embedded-cluster.ts'
import { NODES } from '../../../src/sim/world/api-resource.ts'

export const HEALTH_PORT = 10_256
const LOOK_EVERY_MS = 20

interface MarkedNode {
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] }
}

interface Place {
  readonly name: string
  readonly address: string
}

/**
 * What kube-proxy serves at port 10256 of each machine: 503 while its Node bears a taint or a label of that key. It goes with its
 * machine, without a word to the clients that are connected, and begins again with it.
 */
export class NodeHealth {
  readonly #cluster: EmbeddedCluster
  readonly #key: string
  readonly #servers = new Map<string, Server>()
  readonly #look: NodeJS.Timeout
  #turn: Promise<void> = Promise.resolve()

  constructor(cluster: EmbeddedCluster, places: readonly Place[], key: string) {
    this.#cluster = cluster
    this.#key = key
    this.#look = setInterval(() => {
      this.#turn = this.#turn.then(() => this.#follow(places))
    }, LOOK_EVERY_MS)
  }

  async end(): Promise<void> {
    clearInterval(this.#look)
    await this.#turn
    for (const name of this.#servers.keys()) this.#stop(name)
  }

  isMarked(name: string): boolean {
    const nodes = [...this.#cluster.world.store.all(NODES)] as MarkedNode[]
    const { metadata, spec } = nodes.find((node) => node.metadata.name === name) ?? {}
    return this.#key in (metadata?.labels ?? {}) || spec?.taints?.some(({ key }) => key === this.#key) === true
  }

  async #follow(places: readonly Place[]): Promise<void> {
    for (const { name, address } of places) {
      const isOn = this.#cluster.machines.get(name)?.isOn === true
      if (isOn && !this.#servers.has(name)) await this.#start(name, address)
      if (!isOn && this.#servers.has(name)) this.#stop(name)
    }
  }

  async #start(name: string, host: string): Promise<void> {
    const server = createServer((_request, answer) => answer.writeHead(this.isMarked(name) ? 503 : 200).end('{}'))
    server.listen({ host, port: HEALTH_PORT })
    await once(server, 'listening')
    this.#servers.set(name, server)
  }

  #stop(name: string): void {
    const server = this.#servers.get(name)
    server?.close()
    server?.closeAllConnections()
    this.#servers.delete(name)
  }
}
