import type { Node } from '../../model/node.ts'
import type { NodeRecord } from '../../model/node-record.ts'
import type { MonoMs } from '../../model/time.ts'
import { WorldError } from '../../model/world-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster } from '../../ports/cluster.ts'
import type { DataPort } from '../../ports/data-port.ts'
import { DeadlineError, withDeadline } from '../../runtime/deadline.ts'

export interface ReturnWatchParts {
  readonly cluster: Pick<Cluster, 'readLease'>
  readonly dataPort: DataPort
  readonly clock: Clock
}

export interface ReturnFacts {
  readonly leaseRenewTime?: string
  readonly dataPorts: Readonly<Record<string, boolean>>
}

const ASK_LIMIT_MS = 1000
const ASK_EVERY_MS = 450

/** What is asked only while a node is to come back: its own heartbeat Lease, and whether its data ports answer. */
export class ReturnWatch {
  readonly #parts: ReturnWatchParts
  #last: { readonly bootId: string; readonly at: MonoMs; readonly facts: ReturnFacts } | undefined

  constructor(parts: ReturnWatchParts) {
    this.#parts = parts
  }

  /** Passes come as often as anything changes; what they are told here is half a second old at most. */
  async ask(node: Node, record: NodeRecord, signal: AbortSignal): Promise<ReturnFacts> {
    const last = this.#last
    const now = this.#parts.clock.monoMs()
    if (last !== undefined && last.bootId === node.bootId && now - last.at < ASK_EVERY_MS) return last.facts
    const facts = await this.#ask(node, record, signal)
    this.#last = { bootId: node.bootId, at: now, facts }
    return facts
  }

  async #ask(node: Node, record: NodeRecord, signal: AbortSignal): Promise<ReturnFacts> {
    const ports = record.servers.filter(
      ({ state, address }) => state === 'ready' && node.internalAddresses.includes(address),
    )
    const unique = [...new Map(ports.map((server) => [`${server.address}:${server.port}`, server])).values()]
    const [leaseRenewTime, ...answers] = await Promise.all([
      this.#heartbeat(node.name, signal),
      ...unique.map((server) => this.#answers(server, signal)),
    ])
    const dataPorts = Object.fromEntries(
      unique.map(({ address, port }, i) => [`${address}:${port}`, answers[i] === true]),
    )
    return { dataPorts, ...(leaseRenewTime === undefined ? {} : { leaseRenewTime }) }
  }

  /** A failed read while waiting is not a failed step: the next one tells. */
  async #heartbeat(node: string, signal: AbortSignal): Promise<string | undefined> {
    const ref = { namespace: 'kube-node-lease', name: node }
    const lease = await this.#limited(signal, (limited) => this.#parts.cluster.readLease(ref, limited))
    return lease?.renewTime
  }

  async #answers(at: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<boolean> {
    return (await this.#limited(signal, (limited) => this.#parts.dataPort.answers(at, limited))) === true
  }

  async #limited<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    try {
      return await withDeadline({ clock: this.#parts.clock, limitMs: ASK_LIMIT_MS, signal, what: 'a read' }, work)
    } catch (error) {
      if (error instanceof WorldError || error instanceof DeadlineError) return undefined
      throw error
    }
  }
}
