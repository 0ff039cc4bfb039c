import { WorldError } from '../../src/ground/model/world-error.ts'
import type { Clock } from '../../src/ground/ports/clock.ts'
import {
  type AdminState,
  type InstanceReading,
  type ServerReading,
  type ServerRef,
  serverKey,
} from '../../src/service/model/balancer.ts'
import type { Balancer } from '../../src/service/ports/balancer.ts'
import { aServer } from './roll-world.ts'

/** `edge` with one backend; its instances are those of its servers, whose checks pass. */
export class MemoryBalancer implements Balancer {
  readonly name = 'edge'
  readonly instances: readonly string[]
  readonly #clock: Clock
  readonly #servers: Map<string, ServerReading>
  /** Called before a server takes another state. */
  onState: (server: string, state: AdminState) => void = () => undefined

  constructor(clock: Clock, servers: readonly ServerReading[]) {
    this.#clock = clock
    this.#servers = new Map(servers.map((server) => [serverKey(server.ref), server]))
    this.instances = [...new Set(servers.map(({ ref }) => ref.instance))]
  }

  state(server: string, instance = 'lb-1'): AdminState | undefined {
    return this.#servers.get(serverKey({ instance, backend: 'web', server }))?.adminState
  }

  read(instance: string): Promise<InstanceReading> {
    const servers = [...this.#servers.values()].filter(({ ref }) => ref.instance === instance)
    return Promise.resolve({ instance, process: '100', version: '3.0', at: this.#clock.monoMs(), servers })
  }

  inspect(): Promise<never> {
    return Promise.reject(new WorldError('nobody plans here', { code: 'BALANCER_REPLY', retry: 'never' }))
  }

  setState(ref: ServerRef, state: AdminState): Promise<void> {
    this.onState(ref.server, state)
    const before = this.#servers.get(serverKey(ref)) ?? aServer(ref.server, { ref })
    this.#servers.set(serverKey(ref), { ...before, adminState: state, ownState: state })
    return Promise.resolve()
  }

  /** As a restart, or a check, leaves it. */
  change(ref: ServerRef, change: Partial<ServerReading>): void {
    const before = this.#servers.get(serverKey(ref)) ?? aServer(ref.server, { ref })
    this.#servers.set(serverKey(ref), { ...before, ...change })
  }

  reading(ref: ServerRef): ServerReading | undefined {
    return this.#servers.get(serverKey(ref))
  }

  cutSessions(ref: ServerRef): Promise<void> {
    const before = this.#servers.get(serverKey(ref)) ?? aServer(ref.server, { ref })
    this.#servers.set(serverKey(ref), { ...before, currentSessions: 0 })
    return Promise.resolve()
  }
}
