import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { DoorAnswer, DoorClient, Pending } from '../../contract/balancer/balancer-door.ts'

const HEAD = /^HTTP\/1\.1 (\d{3}) .*?\r\n\r\n/s

/** One connection, spoken by hand: an agent would make another one behind our back. */
export class LoopbackClient implements DoorClient {
  readonly #socket: Socket
  #text = ''
  #isOpen = true
  #waiting: ((answer: DoorAnswer | 'closed') => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => this.#hear(chunk))
    for (const event of ['end', 'error', 'close']) socket.on(event, () => this.#ended())
  }

  /** `to`: the path of a socket, or a port. */
  static async open(to: string | { readonly host: string; readonly port: number }): Promise<LoopbackClient> {
    const socket = connect(typeof to === 'string' ? { path: to } : to)
    await once(socket, 'connect')
    return new LoopbackClient(socket)
  }

  begin(path: string, cookie?: string): Pending {
    const { promise, resolve } = Promise.withResolvers<DoorAnswer | 'closed'>()
    this.#waiting = resolve
    const sent = cookie === undefined ? '' : `cookie: ${cookie}\r\n`
    if (this.#isOpen) this.#socket.write(`GET ${path} HTTP/1.1\r\nhost: front\r\n${sent}\r\n`)
    else this.#settle('closed')
    return { answer: () => promise }
  }

  async isOpen(): Promise<boolean> {
    return this.#isOpen
  }

  close(): void {
    this.#socket.destroy()
  }

  #hear(chunk: string): void {
    this.#text += chunk
    const head = HEAD.exec(this.#text)
    if (head === null) return
    const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head[0])?.[1] ?? 0)
    if (this.#text.length < head[0].length + length) return
    this.#text = this.#text.slice(head[0].length + length)
    const cookie = /\r\nset-cookie: ([^;\r]+)/i.exec(head[0])?.[1]
    this.#settle({
      status: Number(head[1]),
      closes: /\r\nconnection: close\r\n/i.test(head[0]),
      ...(cookie === undefined ? {} : { cookie }),
    })
  }

  #ended(): void {
    this.#isOpen = false
    this.#settle('closed')
    this.#socket.destroy()
  }

  #settle(answer: DoorAnswer | 'closed'): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.(answer)
  }
}
