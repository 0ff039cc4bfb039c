import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { UserError } from '../../model/user-error.ts'
import type { Destination } from '../network/network.ts'
import { listenOn } from './listen-on.ts'

/** Which second octets of 127.0.0.0/8 are tried, and the port that says that one is taken. */
const FIRST_NET = 81
const NETS = 40
const CLAIM_PORT = 30_999
const HERE = '127.0.0.1'

/**
 * Where the hosts of one embedded cluster are on this machine. Where every address of 127.0.0.0/8 is there (Linux), each
 * node and each pod has its own; elsewhere (macOS) they are ports of 127.0.0.1, and their addresses are names only.
 */
export class LoopbackNet {
  readonly hasAliases: boolean
  readonly #prefix: string
  readonly #claim: Server | undefined
  readonly #ports = new Map<string, number>()

  private constructor(claim: { readonly server: Server; readonly prefix: string } | undefined) {
    this.hasAliases = claim !== undefined
    this.#claim = claim?.server
    this.#prefix = claim?.prefix ?? '10.127'
  }

  /** Takes the first net that nobody has; another embedded cluster on the same machine gets the next one. */
  static async open(): Promise<LoopbackNet> {
    for (let net = FIRST_NET; net < FIRST_NET + NETS; net += 1) {
      const prefix = `127.${net}`
      const server = createServer()
      const code = await listenOn(server, { host: `${prefix}.255.254`, port: CLAIM_PORT })
      if (code === undefined) return new LoopbackNet({ server, prefix })
      if (code !== 'EADDRINUSE') return LoopbackNet.ofPorts()
    }
    throw new UserError(`127.${FIRST_NET}.0.0 to 127.${FIRST_NET + NETS - 1}.255.255 are all in use`, {
      code: 'demo.address-taken',
      fix: 'end other demos on this machine',
    })
  }

  /** For a machine that has no loopback address but 127.0.0.1. */
  static ofPorts(): LoopbackNet {
    return new LoopbackNet(undefined)
  }

  /** Of the first node for 1. */
  nodeAddress(index: number): string {
    return `${this.#prefix}.0.${index}`
  }

  /** The first three octets of its pods' addresses. */
  podNet(index: number): string {
    return `${this.#prefix}.${index}`
  }

  /** Lets a server listen there. */
  bind(server: Server, at: Destination): void {
    const real = this.hasAliases || at.host === HERE ? at : { host: HERE, port: 0 }
    server.once('listening', () => {
      const bound = server.address()
      if (real !== at && typeof bound === 'object' && bound !== null) this.#ports.set(nameOf(at), bound.port)
    })
    server.once('close', () => this.#ports.delete(nameOf(at)))
    server.listen(real)
  }

  /** Where a client must connect to; undefined where nobody listens. */
  locate(at: Destination): Destination | undefined {
    if (this.hasAliases || at.host === HERE) return at
    const port = this.#ports.get(nameOf(at))
    return port === undefined ? undefined : { host: HERE, port }
  }

  async close(): Promise<void> {
    if (this.#claim === undefined) return
    const closed = once(this.#claim, 'close')
    this.#claim.close()
    await closed
  }
}

const nameOf = ({ host, port }: Destination): string => `${host}:${port}`
