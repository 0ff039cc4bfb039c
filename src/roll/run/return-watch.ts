import type { Endpoint } from '../../ground/model/endpoint.ts'
import type { Node } from '../../ground/model/node.ts'
import { present } from '../../ground/model/present.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import { belongsTo } from '../../service/decide/match-node-servers.ts'
import type { NodeRecord } from '../../service/model/node-record.ts'
import { askDataPort, type DataPortParts } from './ask-data-port.ts'
import { containerFollower, heartbeatFollower } from './boot-follower.ts'

interface ReturnWatchParts extends DataPortParts {
  readonly cluster: Pick<Cluster, 'followHeartbeat' | 'followPodsOf'>
  /** The node gave a heartbeat, or has a new container. It must only take note. */
  readonly onChange: () => void
}

interface ReturnReading {
  readonly leaseRenewTime?: string
  readonly newContainers?: readonly string[]
  readonly dataPorts: Readonly<Record<string, boolean>>
}

const ASK_EVERY_MS = 450

type DataPorts = ReturnReading['dataPorts']

/**
 * What is only read while a node is expected back or put back: its own heartbeat Lease, the containers of its boot, and whether
 * its data ports answer.
 */
export class ReturnWatch {
  readonly #parts: ReturnWatchParts
  readonly #heartbeats: ReturnType<typeof heartbeatFollower>
  readonly #containers: ReturnType<typeof containerFollower>
  #last: { readonly bootId: string; readonly at: MonoMs; readonly dataPorts: DataPorts } | undefined

  constructor(parts: ReturnWatchParts) {
    this.#parts = parts
    this.#heartbeats = heartbeatFollower(parts)
    this.#containers = containerFollower(parts)
  }

  /** Follows heartbeat and containers of the node that is asked for. Rejects with the signal's reason. */
  run(signal: AbortSignal): Promise<never> {
    return Promise.race([this.#heartbeats.run(signal), this.#containers.run(signal)])
  }

  /** The last heartbeat and containers of a node that was rebooted; they are not waited for. */
  async ask(node: Node, record: NodeRecord, signal: AbortSignal): Promise<ReturnReading> {
    for (const follower of [this.#heartbeats, this.#containers]) {
      if (node.bootId === record.bootId) follower.rest()
      else follower.follow(node)
    }
    const dataPorts = await this.#dataPorts(node, record, signal)
    const leaseRenewTime = this.#heartbeats.known()
    const containers = this.#containers.known()
    return {
      dataPorts,
      ...present({ leaseRenewTime }),
      ...(containers === undefined ? {} : { newContainers: [...containers.since].toSorted() }),
    }
  }

  /** No node is expected or put back: nothing is asked, and nothing followed. */
  rest(): ReturnReading {
    this.#heartbeats.rest()
    this.#containers.rest()
    return { dataPorts: {} }
  }

  /** Passes come as often as anything changes; these answers are at most half a second old. */
  async #dataPorts(node: Node, record: NodeRecord, signal: AbortSignal): Promise<DataPorts> {
    const last = this.#last
    const now = this.#parts.clock.monoMs()
    if (last !== undefined && last.bootId === node.bootId && now - last.at < ASK_EVERY_MS) return last.dataPorts
    const dataPorts = await this.#askPorts(node, record, signal)
    this.#last = { bootId: node.bootId, at: now, dataPorts }
    return dataPorts
  }

  async #askPorts(node: Node, record: NodeRecord, signal: AbortSignal): Promise<DataPorts> {
    const ports = record.servers.filter(
      (server) => server.state === 'ready' && server.port !== 0 && belongsTo(server, node),
    )
    const unique = [...new Map(ports.map((server) => [`${server.address}:${server.port}`, server])).values()]
    const answers = await Promise.all(unique.map((server) => this.#answers(server, signal)))
    return Object.fromEntries(unique.map(({ address, port }, i) => [`${address}:${port}`, answers[i] === true]))
  }

  /** A port that this machine cannot ask counts as silent: the node waits. */
  async #answers(at: Endpoint, signal: AbortSignal): Promise<boolean> {
    return (await askDataPort(this.#parts, at, signal)) === true
  }
}
