import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Broken, Connection, NetworkReply, NetworkRequest } from '../network/network.ts'
import type { Flow } from './flow.ts'
import type { Links } from './links.ts'

type Done = (reply: NetworkReply | Broken) => void

/** One real TCP connection with HTTP on it, as the model's balancer uses it. */
export class LoopbackConnection implements Connection {
  readonly #socket: Socket
  readonly #flow: Flow
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #closedListeners: (() => void)[] = []
  #isOpen = true
  #waiting: Done | undefined

  constructor(socket: Socket, flow: Flow, links: Links) {
    this.#socket = socket
    this.#flow = flow
    this.#agent.createConnection = () => socket
    const gone = (): void => {
      if (this.#flow.isLive) this.#endedThere()
    }
    links.register(socket, () => {
      if (this.#waiting !== undefined) return false
      gone()
      return true
    })
    socket.on('end', gone)
    socket.on('close', gone)
    socket.on('error', gone)
    flow.on({ stall: () => undefined, reset: () => this.#endedThere() })
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  send({ path }: NetworkRequest, done: Done): void {
    if (!this.#isOpen) {
      queueMicrotask(() => done('broken'))
      return
    }
    this.#waiting = done
    if (!this.#flow.passes()) return
    const sent = httpRequest({ agent: this.#agent, path, host: 'embedded' })
    sent.on('response', (response) => this.#read(response))
    // The close of the socket tells.
    sent.on('error', () => this.#flow.isLive && this.#endedThere())
    sent.end()
  }

  onClosed(run: () => void): void {
    this.#closedListeners.push(run)
  }

  close(): void {
    this.#waiting = undefined
    this.#end()
  }

  #read(response: IncomingMessage): void {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response
      const closes = headers.connection === 'close'
      this.#answered({ status, body: Buffer.concat(chunks).toString('utf8'), closes })
    })
    response.on('error', () => this.#flow.isLive && this.#endedThere())
  }

  #answered(reply: NetworkReply): void {
    if (!this.#flow.isLive) return
    const done = this.#waiting
    this.#waiting = undefined
    done?.(reply)
  }

  #endedThere(): void {
    if (!this.#isOpen) return
    const done = this.#waiting
    this.#waiting = undefined
    this.#end()
    done?.('broken')
    for (const run of this.#closedListeners) run()
  }

  #end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#flow.end()
    this.#socket.destroy()
    this.#agent.destroy()
  }
}
