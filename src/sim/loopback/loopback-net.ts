import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { UserError } from '../../ground/model/user-error.ts'
import type { Destination } from '../network/network.ts'
import { listenOn } from './listen-on.ts'

/** Which second octets of 127.0.0.0/8 are tried, and the ports that say that one is taken. */
const FIRST_NET = 81
const NETS = 40
const CLAIM_PORTS = [30_999, 30_998] as const
const HERE = '127.0.0.1'
/** The third octet of cluster IPs. */
const SERVICE_NET = 240
/** So many ports after the wanted one are looked at. */
const PORTS_TRIED = 100

/**
 * Where the hosts of one embedded cluster are on this machine. Where every address of 127.0.0.0/8 is there (Linux), each
 * node and each pod has its own; elsewhere (macOS) they are ports of 127.0.0.1, and their addresses are names only.
 */
export class LoopbackNet {
  readonly hasAliases: boolean
  readonly #prefix: string
  readonly #claims: readonly Server[]
  /** Of those that listen on a port of 127.0.0.1 in place of their own address. */
  readonly #ports = new Map<string, number>()
  readonly #udpPorts = new Map<string, number>()

  private constructor(claimed: { readonly servers: readonly Server[]; readonly prefix: string } | undefined) {
    this.hasAliases = claimed !== undefined
    this.#claims = claimed?.servers ?? []
    this.#prefix = claimed?.prefix ?? '10.127'
  }

  /** Takes the first net that is free; another embedded cluster on the same machine gets the next one. */
  static async open(): Promise<LoopbackNet> {
    for (let net = FIRST_NET; net < FIRST_NET + NETS; net += 1) {
      const prefix = `127.${net}`
      const servers = await claim(prefix)
      if (servers === 'no address') return LoopbackNet.ofPorts()
      if (servers !== 'taken') return new LoopbackNet({ servers, prefix })
    }
    throw await noNetLeft()
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

  /** The cluster IP with that number, apart from the nets of pods of the first 239 nodes. */
  serviceAddress(index: number): string {
    return `${this.#prefix}.${SERVICE_NET}.${index}`
  }

  isServiceAddress(address: string): boolean {
    return address.startsWith(`${this.#prefix}.${SERVICE_NET}.`)
  }

  /**
   * The wanted port where it can be had on all our addresses, else one soon after it; `both`: over UDP, too. UserError
   * `demo.address-taken`.
   */
  async freePort(wanted: number, but: readonly number[] = [], over: 'tcp' | 'both' = 'tcp'): Promise<number> {
    if (!this.hasAliases) return wanted
    const host = lastOf(this.#prefix)
    for (let port = wanted; port < wanted + PORTS_TRIED; port += 1) {
      if (but.includes(port) || (await isTaken({ host, port }))) continue
      if (over === 'tcp' || !(await isUdpTaken({ host, port }))) return port
    }
    throw new UserError(`ports ${wanted} to ${wanted + PORTS_TRIED - 1} of ${lastOf(this.#prefix)} are all taken`, {
      code: 'demo.address-taken',
      fix: 'free one of them: ss -ltnp shows what listens',
    })
  }

  /** Lets a server listen there. */
  bind(server: Server, at: Destination): void {
    const real = this.#realOf(at)
    server.once('error', (error: NodeJS.ErrnoException) => {
      throw taken(real, error, 'tcp')
    })
    server.once('listening', () => {
      const bound = server.address()
      if (real !== at && typeof bound === 'object' && bound !== null) this.#ports.set(nameOf(at), bound.port)
    })
    server.once('close', () => this.#ports.delete(nameOf(at)))
    server.listen(real)
  }

  /** Where a server that takes its own port is to listen, to be found at that address; port 0 is any that is free. */
  placeOf(at: Destination): Destination {
    return this.#realOf(at)
  }

  /** Such a server listens on that port now. */
  listens(at: Destination, port: number): void {
    if (this.#realOf(at) !== at) this.#ports.set(nameOf(at), port)
  }

  /** The same for a socket that takes messages. */
  bindUdp(socket: UdpSocket, at: Destination): void {
    const real = this.#realOf(at)
    const refused = (error: NodeJS.ErrnoException): void => {
      throw taken(real, error, 'udp')
    }
    socket.once('error', refused)
    socket.once('listening', () => {
      // What a socket is told later, as that nothing listens where it sent to, is no reason to end.
      socket.off('error', refused).on('error', () => undefined)
      if (real !== at) this.#udpPorts.set(nameOf(at), socket.address().port)
    })
    socket.once('close', () => this.#udpPorts.delete(nameOf(at)))
    socket.bind({ address: real.host, port: real.port, exclusive: true })
  }

  /** Where a client must connect to; undefined where nothing listens. */
  locate(at: Destination, over: 'tcp' | 'udp' = 'tcp'): Destination | undefined {
    if (this.hasAliases || at.host === HERE) return at
    const port = (over === 'tcp' ? this.#ports : this.#udpPorts).get(nameOf(at))
    return port === undefined ? undefined : { host: HERE, port }
  }

  #realOf(at: Destination): Destination {
    return this.hasAliases || at.host === HERE ? at : { host: HERE, port: 0 }
  }

  async close(): Promise<void> {
    await Promise.all(this.#claims.map(closed))
  }
}

/** The last address of a net; no node and no pod has it. */
const lastOf = (prefix: string): string => `${prefix}.255.254`

const besideLastOf = (prefix: string, port: number): Destination => ({ host: `${prefix}.255.253`, port })

async function closed(server: Server): Promise<void> {
  const isClosed = once(server, 'close')
  server.close()
  await isClosed
}

/**
 * One of the ports may be taken on every address of this machine: then the other one alone is the claim. To find out, the
 * taken one is asked for at another address of the net, which is left to the process that holds the other port.
 */
async function claim(prefix: string): Promise<readonly Server[] | 'taken' | 'no address'> {
  const tries = await Promise.all(CLAIM_PORTS.map((port) => listening({ host: lastOf(prefix), port })))
  const servers = tries.filter((one) => typeof one === 'object')
  const isElsewhere = tries.includes('no address')
  const lacking = CLAIM_PORTS.find((_, i) => tries[i] === 'taken')
  if (lacking === undefined && !isElsewhere) return servers
  const isOurs = lacking !== undefined && servers.length > 0 && (await isTaken(besideLastOf(prefix, lacking)))
  if (isOurs) return servers
  await Promise.all(servers.map(closed))
  return isElsewhere ? 'no address' : 'taken'
}

async function noNetLeft(): Promise<UserError> {
  const taken = await Promise.all(CLAIM_PORTS.map((port) => isTaken({ host: `127.${FIRST_NET - 1}.255.254`, port })))
  if (taken.includes(false)) {
    return new UserError(`127.${FIRST_NET}.0.0 to 127.${FIRST_NET + NETS - 1}.255.255 are all in use`, {
      code: 'demo.address-taken',
      fix: 'end other demos on this machine',
    })
  }
  return new UserError(`ports ${CLAIM_PORTS.join(' and ')} are both taken on every address of this machine`, {
    code: 'demo.address-taken',
    fix: `end what listens on one of them: ss -ltnp 'sport = :${CLAIM_PORTS[0]}'`,
  })
}

async function isTaken(at: Destination): Promise<boolean> {
  const server = await listening(at)
  if (typeof server === 'object') await closed(server)
  return server === 'taken'
}

function isUdpTaken({ host, port }: Destination): Promise<boolean> {
  const socket = createSocket('udp4')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  socket.once('error', () => {
    socket.close()
    resolve(true)
  })
  socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve(false)))
  return promise
}

const taken = ({ host, port }: Destination, error: NodeJS.ErrnoException, over: 'tcp' | 'udp'): UserError =>
  new UserError(`port ${port} of ${host} cannot be taken: ${error.code ?? error.message}`, {
    code: 'demo.address-taken',
    fix: `end what took it since the demo began: ss ${over === 'tcp' ? '-ltnp' : '-lunp'} 'sport = :${port}'`,
  })

async function listening(at: Destination): Promise<Server | 'taken' | 'no address'> {
  const server = createServer()
  const code = await listenOn(server, at)
  return code === undefined ? server : code === 'EADDRINUSE' ? 'taken' : 'no address'
}

const nameOf = ({ host, port }: Destination): string => `${host}:${port}`
