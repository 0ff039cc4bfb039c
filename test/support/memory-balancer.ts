import type { AdminState, InstanceReading, ServerReading, ServerRef } from '../../src/model/balancer.ts'
import { WorldError } from '../../src/model/world-error.ts'
import type { Balancer } from '../../src/ports/balancer.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { aServer } from './roll-world.ts'

/** `edge` with one instance and one backend; a server's check passes. */
export class MemoryBalancer implements Balancer {
  readonly name = 'edge'
  readonly instances = ['lb-1']
  readonly #clock: Clock
  readonly #servers: Map<string, ServerReading>
  /** Called before a server takes another state. */
  onState: (server: string, state: AdminState) => void = () => undefined

  constructor(clock: Clock, servers: readonly ServerReading[]) {
    this.#clock = clock
    this.#servers = new Map(servers.map((server) => [server.ref.server, server]))
  }

  state(server: string): AdminState | undefined {
    return this.#servers.get(server)?.adminState
  }

  read(instance: string): Promise<InstanceReading> {
    const servers = [...this.#servers.values()]
    return Promise.resolve({ instance, process: '100', version: '3.0', at: this.#clock.monoMs(), servers })
  }

  inspect(): Promise<never> {
    return Promise.reject(new WorldError('nobody plans here', { code: 'BALANCER_REPLY', retry: 'never' }))
  }

  setState({ server }: ServerRef, state: AdminState): Promise<void> {
    this.onState(server, state)
    this.#servers.set(server, { ...(this.#servers.get(server) ?? aServer(server)), adminState: state, ownState: state })
    return Promise.resolve()
  }

  cutSessions({ server }: ServerRef): Promise<void> {
    this.#servers.set(server, { ...(this.#servers.get(server) ?? aServer(server)), currentSessions: 0 })
    return Promise.resolve()
  }
}
