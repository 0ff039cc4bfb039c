import { Duplex } from 'node:stream'
import { type RawData, WebSocket } from 'ws'
import { escapeForeign } from '../model/foreign-text.ts'
import { WorldError } from '../model/world-error.ts'
import { segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'
import type { Connection } from './connection.ts'
import type { HttpRequest } from './exchange.ts'
import { openWebSocket } from './web-socket.ts'

/** Each port has a channel for its data and one for its errors; each channel begins with the port's number in two bytes. */
const PROTOCOL = 'v4.channel.k8s.io'
const DATA = 0
const ERROR = 1
const PORT_BYTES = 2
/** RFC 6455, 7.4.1: a normal close, and one that says no code. */
const IN_ORDER: ReadonlySet<number> = new Set([1000, 1005])
const BROKEN = 1006

interface ForwardTo {
  readonly namespace: string
  readonly pod: string
  readonly port: number
}

/**
 * A connection to a TCP port on a pod's own loopback, by pods/portforward over a WebSocket: it bypasses the pod network and its
 * policies. Needs the rights to get and, from Kubernetes 1.35 on, to create pods/portforward. Rejects as ApiClient does; the
 * stream fails with WorldError KUBE_PORT_REFUSED where nothing listens at the port, with KUBE_PORT_FORWARD where it breaks.
 */
export async function forwardPort(client: ApiClient, to: ForwardTo, signal: AbortSignal): Promise<Duplex> {
  const path = `/api/v1/namespaces/${segment(to.namespace)}/pods/${segment(to.pod)}/portforward`
  const call = { verb: 'get', resource: 'pods/portforward', path, query: { ports: String(to.port) } } as const
  const open = (connection: Connection, request: HttpRequest, limited: AbortSignal) =>
    openWebSocket({ connection, request, protocols: [PROTOCOL] }, limited)
  return new ForwardedPort(await client.upgrade(call, open, signal), to)
}

class ForwardedPort extends Duplex {
  readonly #socket: WebSocket
  readonly #to: ForwardTo
  readonly #begun = new Set<number>()

  constructor(socket: WebSocket, to: ForwardTo) {
    // The protocol has no half-close.
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#to = to
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    socket.on('error', (error) => this.destroy(this.#fault(error.message)))
    socket.once('close', (code) => this.#end(code))
    if (socket.readyState === WebSocket.CLOSED) this.#end(BROKEN)
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.send(Buffer.concat([Buffer.of(DATA), chunk]), done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.terminate()
    done(error)
  }

  /** Only a close that the server has said is an end: what breaks off in the middle of an answer must not look like the whole. */
  #end(code: number): void {
    if (IN_ORDER.has(code)) this.push(null)
    else this.destroy(this.#fault(`the connection broke (${code})`))
  }

  #receive(data: RawData, isBinary: boolean): void {
    const [channel, ...rest] = isBinary && Buffer.isBuffer(data) ? [data[0], data.subarray(1)] : []
    const [payload] = rest
    if (payload === undefined || (channel !== DATA && channel !== ERROR)) {
      this.destroy(this.#fault('the API server sent data on an unknown channel'))
      return
    }
    const isFirst = !this.#begun.has(channel)
    this.#begun.add(channel)
    const bytes = isFirst ? payload.subarray(PORT_BYTES) : payload
    if (bytes.length === 0) return
    if (channel === ERROR) this.destroy(this.#fault(bytes.toString('utf8').trim()))
    else if (!this.push(bytes)) this.#socket.pause()
  }

  #fault(text: string): WorldError {
    const { namespace, pod, port } = this.#to
    return new WorldError(`port ${port} on the loopback of pod ${namespace}/${pod}: ${escapeForeign(text)}`, {
      code: /connection refused/.test(text) ? 'KUBE_PORT_REFUSED' : 'KUBE_PORT_FORWARD',
      retry: 'backoff',
    })
  }
}
