import { createServer, type Server, type Socket } from 'node:net'
import type { Random } from '../../ground/ports/random.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { Destination } from '../network/network.ts'
import { Flow } from './flow.ts'
import type { Links } from './links.ts'
import type { LoopbackNet } from './loopback-net.ts'

/** The result of a connection to a pod. */
export type Reached =
  | { readonly kind: 'open'; readonly socket: Socket }
  | { readonly kind: 'refused' }
  | { readonly kind: 'silent' }

interface NodePortParts {
  readonly net: LoopbackNet
  readonly links: Links
  readonly timers: Timers
  readonly random: Random
  readonly at: Destination
  readonly endpoints: readonly Destination[]
  /** Of the node: what enters by it. */
  readonly flows: Set<Flow>
  readonly reach: (endpoints: readonly Destination[], answered: (reached: Reached) => void) => void
}

/**
 * A NodePort as a forwarder of TCP connections: an endpoint by chance for each, and there it stays. The kernel accepts a
 * connection before the NodePort chooses: where kube-proxy would refuse, the connection is reset. Where kube-proxy would be
 * silent, it hangs.
 */
export class NodePort {
  endpoints: readonly Destination[]
  readonly #parts: NodePortParts
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  #isDark = false

  constructor(parts: NodePortParts) {
    this.#parts = parts
    this.endpoints = parts.endpoints
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.#accept(socket))
    parts.net.bind(this.#server, parts.at)
  }

  /** Accepts, as the kernel does, and never answers. */
  goDark(): void {
    this.#isDark = true
  }

  /** New connections are refused. Connections that hung in the dark are reset soon; open ones stay. */
  close(): void {
    this.#server.close()
  }

  /** Nothing is left open. */
  end(): void {
    this.close()
    for (const client of this.#clients) client.destroy()
  }

  #accept(client: Socket): void {
    const { flows, links, reach } = this.#parts
    const flow = new Flow(this.#parts)
    this.#clients.add(client)
    flows.add(flow)
    client.on('error', () => client.destroy())
    client.on('close', () => {
      this.#clients.delete(client)
      flows.delete(flow)
      flow.end()
    })
    // Without reading, it would not be noticed that the client has gone.
    const hang = (): void => {
      client.unpipe()
      client.on('data', () => flow.passes())
      client.resume()
    }
    flow.on({ stall: hang, reset: () => client.resetAndDestroy() })
    if (this.#isDark) {
      flow.stall()
      return
    }
    reach(this.endpoints, (reached) => {
      if (!flow.isLive || client.destroyed) {
        if (reached.kind === 'open') reached.socket.destroy()
      } else if (reached.kind === 'refused') client.resetAndDestroy()
      else if (reached.kind === 'silent') hang()
      else carry({ client, pod: reached.socket, flow, links })
    })
  }
}

interface Carried {
  readonly client: Socket
  readonly pod: Socket
  readonly flow: Flow
  readonly links: Links
}

function carry({ client, pod, flow, links }: Carried): void {
  let isAwaited = false
  links.register(pod, () => {
    if (isAwaited) return false
    if (flow.isLive) client.end()
    return true
  })
  const cut = (): void => {
    if (flow.isLive) client.resetAndDestroy()
  }
  pod.on('error', cut)
  client.on('data', () => {
    isAwaited = true
  })
  pod.on('data', (chunk: Buffer) => {
    isAwaited = false
    if (flow.isLive) client.write(chunk)
  })
  pod.on('end', () => {
    if (flow.isLive) client.end()
  })
  client.on('close', () => pod.destroy())
  client.pipe(pod, { end: false })
}
