import { changedPlaces } from '../../ground/model/changed-places.ts'
import { sameList } from '../../ground/model/same-list.ts'
import { wordsOf } from '../../service/actuators/actuator-of.ts'
import type { InstanceReading, ServerReading } from '../../service/model/balancer.ts'

/**
 * Which servers of one instance this process has seen in service, over all reloads: a balancer process counts its sessions
 * from 0, and cannot tell a server that was down when it began from one that never served.
 *
 * Nothing else tells the two apart. The time since the last change is that of the reload for both. A node that serves nothing
 * is Ready, with pods that are, as often as one that is out is. A node that never served must not hold every roll for good, so
 * that what was not seen does not count; what was seen is forgotten with the process of the roll, or with the server line.
 */
export class ServedServers {
  #process: string | undefined
  #servers: readonly ServerReading[] = []
  #marked: readonly ServerReading[] = []
  #known = new Map<string, Known>()
  /** By what a line leads to: a reload may give it another name. */
  #servedAt = new Map<string, boolean>()

  /** The same answer, with the mark on what was in service before. */
  marked(reading: InstanceReading): InstanceReading {
    const { process, servers } = reading
    if (process !== this.#process) this.#forgetUnlisted(servers)
    this.#process = process
    if (servers !== this.#servers) {
      // Most are as they were, several times a second.
      const marked = this.#marked.slice(0, servers.length)
      for (const at of changedPlaces(this.#servers, servers)) {
        const server = servers[at]
        if (server !== undefined) marked[at] = this.#mark(server)
      }
      this.#marked = sameList(servers, marked)
      this.#servers = servers
    }
    return this.#marked === servers ? reading : { ...reading, servers: this.#marked }
  }

  #mark(server: ServerReading): ServerReading {
    const { checked } = wordsOf(server)
    const { address } = server
    const before = this.#before(server)
    const now = checked(server)
    const isServing = now === 'in' && server.check !== 'failing'
    // Sessions of a process that was seen from its start may be those of the moment before its first check.
    const served = before === undefined ? isServing || now === 'down' || now === 'detached' : before.served || isServing
    this.#known.set(lineOf(server), { address: address === '' ? (before?.address ?? '') : address, served })
    if (address !== '') this.#servedAt.set(placeOf(server), served)
    return served && now === 'never' ? { ...server, servedBefore: true } : server
  }

  /** A line that has another address by now leads to another node. One without an address is not resolved yet. */
  #before(server: ServerReading): Known | undefined {
    const known = this.#known.get(lineOf(server))
    if (known !== undefined && ([known.address, ''].includes(server.address) || known.address === '')) return known
    const served = this.#servedAt.get(placeOf(server))
    return served === undefined ? undefined : { address: server.address, served }
  }

  #forgetUnlisted(servers: readonly ServerReading[]): void {
    const listed = new Set(servers.map(lineOf))
    this.#known = new Map([...this.#known].filter(([line]) => listed.has(line)))
    const places = new Set(servers.map(placeOf))
    this.#servedAt = new Map([...this.#servedAt].filter(([place]) => places.has(place)))
  }
}

interface Known {
  readonly address: string
  readonly served: boolean
}

const placeOf = ({ ref, address, port }: ServerReading): string => `${ref.backend} ${address}:${port}`
const lineOf = ({ ref }: ServerReading): string => `${ref.backend}/${ref.server}`
