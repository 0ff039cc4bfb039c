import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A server behind a balancer: `/healthz` answers as told, `/slow` waits until released, everything else says `ok`. */
export class Origin {
  readonly #server: Server
  #healthStatus = 200
  #waiting: ServerResponse[] = []

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response))
  }

  static async start(t: TestContext): Promise<Origin> {
    const origin = new Origin()
    origin.#server.listen(0, '127.0.0.1')
    await once(origin.#server, 'listening')
    t.after(() => origin.close())
    return origin
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get waiting(): number {
    return this.#waiting.length
  }

  sayHealth(status: number): void {
    this.#healthStatus = status
  }

  release(): void {
    for (const response of this.#waiting) response.end('at last')
    this.#waiting = []
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === '/slow') {
      this.#waiting.push(response)
      return
    }
    response.statusCode = request.url === '/healthz' ? this.#healthStatus : 200
    response.end('ok')
  }
}
