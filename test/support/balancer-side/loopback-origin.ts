import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { DoorOrigin } from '../../contract/balancer/balancer-door.ts'

/** A server behind a real balancer, on loopback. */
export class LoopbackOrigin implements DoorOrigin {
  readonly #server: Server
  #health: number | 'hang' | 'break' = 200
  #held: ServerResponse[] = []
  #requests = 0

  private constructor() {
    // Longer than any test: it is the balancer that closes what is idle.
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => this.#answer(request, response))
  }

  static async start(t: TestContext): Promise<LoopbackOrigin> {
    const origin = new LoopbackOrigin()
    origin.#server.listen(0, '127.0.0.1')
    await once(origin.#server, 'listening')
    t.after(() => origin.stop())
    return origin
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Requests that came, but for checks. */
  get requests(): number {
    return this.#requests
  }

  get waiting(): number {
    return this.#held.length
  }

  sayHealth(health: number | 'hang' | 'break'): void {
    this.#health = health
  }

  release(): void {
    for (const response of this.#held.splice(0)) response.end('at last')
  }

  cut(): void {
    for (const response of this.#held.splice(0)) response.destroy()
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  #answer({ url }: IncomingMessage, response: ServerResponse): void {
    if (url === '/readyz') {
      this.#answerCheck(response)
      return
    }
    this.#requests += 1
    if (url === '/hold') this.#held.push(response)
    else {
      if (url === '/last') response.setHeader('connection', 'close')
      response.end('ok')
    }
  }

  #answerCheck(response: ServerResponse): void {
    if (this.#health === 'break') response.destroy()
    else if (this.#health !== 'hang') response.writeHead(this.#health).end()
  }
}
