import type { AdminState, InstanceReading, ServerRef } from '../../model/balancer.ts'
import type { InstanceInspection } from '../../model/balancer-inspection.ts'
import type { BalancerSpec } from '../../model/roll-spec.ts'
import { WorldError } from '../../model/world-error.ts'
import type { Balancer } from '../../ports/balancer.ts'
import type { Clock } from '../../ports/clock.ts'
import { cutSessionsCommand, forgetHealthCommand, READ_SERVERS, setStateCommand } from './command.ts'
import { inspectInstance } from './inspect-instance.ts'
import { InstanceApi } from './instance-api.ts'
import { openSocket } from './open-socket.ts'
import { parseTables } from './parse-tables.ts'
import { requireDone } from './require-done.ts'
import type { SocketLimits } from './runtime-socket.ts'
import { readingOf, readingsOf } from './server-reading.ts'

export interface HaproxySettings {
  readonly spec: Pick<BalancerSpec, 'name' | 'instances' | 'backends'>
  readonly clock: Clock
  readonly limits?: SocketLimits
  /** In place of the user's own ssh configuration (`ssh -F`). */
  readonly sshConfigFile?: string
}

/**
 * HAProxy by its runtime API (management.txt 9.3), 1.8 and later. It keeps nothing in mind: a reading is what the
 * instance says at that moment, and what was set is gone with the next reload.
 */
export class HaproxyBalancer implements Balancer {
  readonly name: string
  readonly instances: readonly string[]
  readonly #backends: readonly string[]
  readonly #clock: Clock
  readonly #apis: ReadonlyMap<string, InstanceApi>

  /** UserError where an address cannot be reached by any means we have. Opens nothing yet. */
  constructor(settings: HaproxySettings) {
    this.name = settings.spec.name
    this.instances = settings.spec.instances.map((instance) => instance.name)
    this.#backends = settings.spec.backends
    this.#clock = settings.clock
    this.#apis = new Map(
      settings.spec.instances.map((it) => [it.name, new InstanceApi(it, openSocket(it.address, settings))]),
    )
  }

  read(instance: string, signal: AbortSignal): Promise<InstanceReading> {
    return this.#api(instance).ask(
      READ_SERVERS,
      (answers) => {
        const tables = parseTables(answers)
        return {
          instance,
          process: tables.info.process,
          version: tables.info.version,
          at: this.#clock.monoMs(),
          servers: this.#backends.flatMap((backend) => readingsOf({ instance, backend, tables })),
        }
      },
      signal,
    )
  }

  inspect(instance: string, signal: AbortSignal): Promise<InstanceInspection> {
    return inspectInstance(this.#api(instance), { instance, backends: this.#backends }, signal)
  }

  /**
   * A server that leaves `maint` is up before its first check, whatever became of it meanwhile (management.txt, `set
   * server state`). On the way to `drain` its health is set back, so that `rise` checks must pass first, as after an outage.
   */
  async setState(ref: ServerRef, state: AdminState, signal: AbortSignal): Promise<void> {
    const set = setStateCommand(ref, state)
    const api = this.#apiFor(ref)
    const unproven = state === 'drain' && (await this.#leavesMaint(ref, signal))
    const commands = unproven ? [set, forgetHealthCommand(ref)] : [set]
    await api.ask(commands, (answers) => requireDone(answers, ref), signal)
  }

  async cutSessions(ref: ServerRef, signal: AbortSignal): Promise<void> {
    await this.#apiFor(ref).ask([cutSessionsCommand(ref)], (answers) => requireDone(answers, ref), signal)
  }

  /** Ends what leads to the instances: tunnels of ssh. */
  async close(): Promise<void> {
    await Promise.all([...this.#apis.values()].map((api) => api.close()))
  }

  /** In maint by command, with a check of its own that would have to pass again. */
  #leavesMaint(ref: ServerRef, signal: AbortSignal): Promise<boolean> {
    const ownCheckWaits = (answers: readonly string[]): boolean => {
      const { byKey } = parseTables(answers)
      const row = byKey.get(`${ref.backend}/${ref.server}`)
      if (row === undefined || row.stat.tracked !== '') return false
      const { ownState, check } = readingOf(ref.instance, row, byKey)
      return ownState === 'maint' && check !== 'none'
    }
    return this.#api(ref.instance).ask(READ_SERVERS, ownCheckWaits, signal)
  }

  #apiFor(ref: ServerRef): InstanceApi {
    if (this.#backends.includes(ref.backend)) return this.#api(ref.instance)
    throw this.#notOurs(`backend ${ref.backend}`)
  }

  #api(instance: string): InstanceApi {
    const api = this.#apis.get(instance)
    if (api === undefined) throw this.#notOurs(`instance ${instance}`)
    return api
  }

  #notOurs(what: string): WorldError {
    return new WorldError(`${what} is not among those of balancer ${this.name} and is never touched`, {
      code: 'BALANCER_NO_BACKEND',
      retry: 'never',
    })
  }
}
