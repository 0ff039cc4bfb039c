import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { administrator } from '../administrator.ts'

/** A write of the controller, on its way to the API server. */
export interface SeenWrite {
  readonly method: string
  readonly path: string
  readonly body: string
}

/**
 * The process that wrote dies before the API server hears of the write, or before the process hears the answer. `done`: the same,
 * where the API server has taken the write; where it refuses it nothing happens.
 */
export type Death = 'before' | 'after' | 'done'

/**
 * A door on the way from a controller to a real API server. Each write of an effect is shown before it goes on, and the process
 * that sent it can be killed there, at exactly that write.
 */
export class WriteDoor {
  /** Asked for each write. */
  judge: (write: SeenWrite) => Death | undefined = () => undefined
  /** Kills the process that writes. */
  kill: () => void = () => undefined
  readonly #server = createServer((asked, reply) => void this.#pass(asked, reply).catch(() => reply.destroy()))
  readonly #upstream: URL
  readonly #agent: Agent

  constructor(kubeconfig: string) {
    const { server, tls } = administrator(kubeconfig)
    this.#upstream = new URL(server)
    // The API server knows a client by its token alone.
    this.#agent = new Agent({ ca: tls.ca, keepAlive: true })
  }

  async open(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
    this.#agent.destroy()
  }

  async #pass(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await buffer(asked)
    const write = { method: asked.method ?? '', path: asked.url ?? '', body: body.toString() }
    const death = isEffect(write) ? this.judge(write) : undefined
    if (death === 'before') {
      this.kill()
      reply.destroy()
      return
    }
    const { hostname, port } = this.#upstream
    const sent = request({
      ...{ hostname, port, method: write.method, path: write.path, agent: this.#agent },
      headers: { ...asked.headers, host: this.#upstream.host },
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    if (death === 'after' || (death === 'done' && (answer.statusCode ?? 500) < 300)) {
      this.kill()
      answer.destroy()
      reply.destroy()
      return
    }
    reply.once('close', () => answer.destroy())
    answer.once('error', () => reply.destroy())
    reply.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(reply)
  }
}

/** The Lease by which it leads is written all the time. A status, Events and the grants of the brake have no part in a rollout. */
const isEffect = ({ method, path, body }: SeenWrite): boolean =>
  method !== 'GET' &&
  !/\/status$|\/events|\/configmaps/.test(path) &&
  !(path.includes('/leases') && isOfLeader(path, body))

const isOfLeader = (path: string, body: string): boolean =>
  path.endsWith('/evenkeel-controller') || body.includes('"name":"evenkeel-controller"')
