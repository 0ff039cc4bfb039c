import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { TestContext } from 'node:test'
import { type Answer, decode, encode, type Packet } from 'dns-packet'

/** What one query is answered with: messages in this order, and what each takes. */
export type Told = readonly { readonly bytes: Buffer; readonly fromElsewhere?: boolean; readonly afterMs?: number }[]
type Answering = (query: Buffer) => Told

const AUTHORITATIVE = 0x400

/** A reply to `query` with these answers. */
export function reply(
  query: Buffer,
  { answers = [], rcode = 0, ...more }: Partial<Packet> & { rcode?: number; answers?: Answer[] } = {},
): Buffer {
  const { id, questions } = decode(query)
  return encode({ type: 'response', id, questions, answers, flags: AUTHORITATIVE | rcode, ...more } as Packet)
}

const TRIES = 10

/** Real sockets on loopback, UDP and TCP on one port, which answer as a test says. */
export class FakeDnsServer {
  /** What is asked, in the order in which it came, with the port that asked. */
  readonly asked: {
    readonly name: string
    readonly type: string
    readonly over: 'udp' | 'tcp'
    readonly port: number
  }[] = []
  answering: Answering = (query) => [{ bytes: reply(query) }]
  /** Undefined: as over UDP. */
  answeringTcp: Answering | undefined
  readonly #udp: Socket
  readonly #elsewhere = createSocket('udp4')
  readonly #tcp: Server
  readonly #pending = new Set<NodeJS.Timeout>()
  #port = 0

  private constructor(host: string) {
    this.#udp = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    this.#udp.on('message', (query, from) => this.#tell(query, from))
    this.#tcp = createServer((socket) => {
      socket.on('error', () => undefined)
      let received = Buffer.alloc(0)
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk])
        if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
        const query = received.subarray(2, 2 + received.readUInt16BE(0))
        received = Buffer.alloc(0)
        this.#note(query, 'tcp', socket.remotePort ?? 0)
        for (const { bytes } of (this.answeringTcp ?? this.answering)(query)) {
          const length = Buffer.alloc(2)
          length.writeUInt16BE(bytes.length)
          socket.write(Buffer.concat([length, bytes]))
        }
      })
    })
  }

  static async of(t: TestContext, host = '127.0.0.1'): Promise<FakeDnsServer> {
    for (let tries = 1; ; tries += 1) {
      const server = new FakeDnsServer(host)
      t.after(() => server.stop())
      try {
        await server.#open(host)
        return server
      } catch (error) {
        // A port that is free over UDP may be taken over TCP.
        server.stop()
        if (tries === TRIES) throw error
      }
    }
  }

  async #open(host: string): Promise<void> {
    this.#udp.bind(0, host)
    await once(this.#udp, 'listening')
    this.#port = (this.#udp.address() as AddressInfo).port
    this.#elsewhere.bind(0, '127.0.0.1')
    this.#tcp.listen(this.#port, host)
    await once(this.#tcp, 'listening')
  }

  get port(): number {
    return this.#port
  }

  /** Its UDP side alone: TCP goes on. */
  stopUdp(): void {
    this.#udp.removeAllListeners('message')
  }

  stop(): void {
    for (const one of this.#pending) clearTimeout(one)
    for (const socket of [this.#udp, this.#elsewhere]) {
      try {
        socket.close()
      } catch {
        // It is closed already.
      }
    }
    this.#tcp.close()
  }

  #note(query: Buffer, over: 'udp' | 'tcp', port: number): void {
    const [question] = decode(query).questions ?? []
    this.asked.push({ name: question?.name ?? '', type: question?.type ?? '', over, port })
  }

  #tell(query: Buffer, from: RemoteInfo): void {
    this.#note(query, 'udp', from.port)
    for (const { bytes, fromElsewhere = false, afterMs = 0 } of this.answering(query)) {
      const send = (): unknown => (fromElsewhere ? this.#elsewhere : this.#udp).send(bytes, from.port, from.address)
      if (afterMs === 0) send()
      else this.#pending.add(setTimeout(send, afterMs))
    }
  }
}
