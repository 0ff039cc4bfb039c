import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a program answers: a JSON status, a failure, nothing at all, or far too much. */
type TargetAnswer = { readonly status: string } | 'fails' | 'hangs' | 'huge'

const HUGE_BYTES = 100 * 1024 * 1024
const PIECE = Buffer.alloc(64 * 1024, ' ')

/** Programs on loopback that a controller asks whether a node may go, each by the path of its URL. */
export class HoldTargets {
  readonly #server: Server
  readonly #answers = new Map<string, TargetAnswer>()
  readonly #sent = new Map<string, number>()

  private constructor(server: Server) {
    this.#server = server
    server.on('request', ({ url = '' }, reply: ServerResponse) => this.#answer(url, reply))
  }

  static async open(): Promise<HoldTargets> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new HoldTargets(server)
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  set(path: string, answer: TargetAnswer): void {
    this.#answers.set(path, answer)
  }

  /** The most bytes of one huge answer that were taken from us. */
  sentOf(path: string): number {
    return this.#sent.get(path) ?? 0
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #answer(path: string, reply: ServerResponse): void {
    const answer = this.#answers.get(path)
    if (answer === 'huge') this.#flood(path, reply)
    else if (answer === 'fails' || answer === undefined) reply.writeHead(500).end()
    else if (answer !== 'hangs')
      reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }

  #flood(path: string, reply: ServerResponse): void {
    let sent = 0
    const more = (): void => {
      while (!reply.destroyed && sent < HUGE_BYTES) {
        sent += PIECE.length
        this.#sent.set(path, Math.max(this.sentOf(path), sent))
        if (!reply.write(PIECE)) {
          reply.once('drain', more)
          return
        }
      }
      reply.end()
    }
    reply.writeHead(200, { 'content-length': HUGE_BYTES })
    more()
  }
}
