import { sameList } from '../../../../ground/model/same-list.ts'
import { WorldError } from '../../../../ground/model/world-error.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'
import type { Random } from '../../../../ground/ports/random.ts'
import {
  type AdminState,
  type InstanceReading,
  type ServerReading,
  type ServerRef,
  serverKey,
} from '../../../model/balancer.ts'
import type { InstanceInspection } from '../../../model/balancer-inspection.ts'
import type { BalancerSpec, HaproxyInstance, InstanceAddress } from '../../../model/balancer-spec.ts'
import type { Balancer } from '../../../ports/balancer.ts'
import { leavesMaintUnproven, statesBeforeMaint } from './check-reading.ts'
import {
  cutSessionsCommand,
  forgetHealthCommand,
  READ_FRONTENDS,
  READ_SERVERS,
  setStateCommand,
  setWeightCommand,
} from './command.ts'
import { frontendConnections } from './frontend-connections.ts'
import { InstanceApi } from './instance-api.ts'
import { inspectionOf, parseLevel } from './instance-inspection.ts'
import { mustTellOfOldWork, type OldWork, OldWorkers } from './old-workers.ts'
import { openSocket, type SocketSettings } from './open-socket.ts'
import { findRow, parseTables, TableReader, type Tables } from './parse-tables.ts'
import { PartialReading, type Whole } from './partial-reading.ts'
import { requireDone } from './require-done.ts'
import type { RuntimeSocket, SocketLimits } from './runtime-socket.ts'
import { type RawReading, readingsOf } from './server-reading.ts'
import type { ServerRow } from './server-row.ts'
import { timedOut } from './socket-error.ts'
import { StickTables } from './stick-tables.ts'
import { withDeadline } from './with-deadline.ts'

interface HaproxySettings {
  readonly spec: Pick<BalancerSpec<'haproxy'>, 'name' | 'backends'> & { readonly instances: readonly HaproxyInstance[] }
  readonly clock: Clock
  readonly random: Random
  readonly limits?: SocketLimits
  /** In place of the user's own ssh configuration (`ssh -F`). */
  readonly sshConfigFile?: string
  /** Replaces sockets and ssh for a balancer that lives in this process. */
  readonly open?: (address: InstanceAddress, settings: SocketSettings) => RuntimeSocket
}

/** Readings come several times a second, and a master that hangs must not delay them. */
const OLD_WORK_MS = 500

class InstanceWay {
  readonly api: InstanceApi
  readonly stickTables: StickTables
  readonly tables = new TableReader()
  /** Of the last reading of all of them. */
  servers: InstanceReading['servers'] = []
  /** Absent: the instance has no master socket in the file. */
  readonly oldWorkers: OldWorkers | undefined
  /** The last reading, with the counters that were read since. Absent once a command may have changed it. */
  last: Whole | undefined

  constructor(api: InstanceApi, oldWorkers: OldWorkers | undefined) {
    this.api = api
    this.stickTables = new StickTables(api)
    this.oldWorkers = oldWorkers
  }

  /**
   * Adds what old workers still do. If the master does not answer, the rest of the reading is still of use: during a reload the
   * master is away for a moment.
   */
  async withOldWork(reading: InstanceReading, clock: Clock, signal: AbortSignal): Promise<InstanceReading> {
    const { oldWorkers } = this
    if (oldWorkers === undefined) return reading
    const late = (): Error => timedOut(`no complete answer within ${OLD_WORK_MS} ms`)
    const work = await withDeadline({ clock, ms: OLD_WORK_MS, late }, signal, (limited) =>
      oldWorkers.work(limited),
    ).catch((error: unknown) => {
      if (error instanceof WorldError) return error
      throw error
    })
    const servers = reading.servers.map((server) => ({ ...server, ...oldWorkOf(server, work) }))
    return { ...reading, servers }
  }
}

/**
 * HAProxy by its runtime API (management.txt 9.3), 2.2 and later. A reading is of the moment, and a reload loses what was set.
 * `readCounters` asks for some servers only, by the ids that the process gave them.
 */
export class HaproxyBalancer implements Balancer {
  readonly name: string
  readonly instances: readonly string[]
  readonly #backends: readonly string[]
  readonly #clock: Clock
  readonly #ways: ReadonlyMap<string, InstanceWay>

  /** UserError where an address cannot be reached in any way that we have. Opens nothing yet. */
  constructor(settings: HaproxySettings) {
    this.name = settings.spec.name
    this.instances = settings.spec.instances.map((instance) => instance.name)
    this.#backends = settings.spec.backends
    this.#clock = settings.clock
    const open = settings.open ?? openSocket
    this.#ways = new Map(
      settings.spec.instances.map((instance) => {
        const api = new InstanceApi(instance, open(instance.address, settings))
        const address = masterOf(instance)
        const master =
          address && new InstanceApi({ name: instance.name, address, isMaster: true }, open(address, settings))
        return [instance.name, new InstanceWay(api, master && new OldWorkers(master))]
      }),
    )
  }

  async read(instance: string, signal: AbortSignal): Promise<InstanceReading> {
    const way = this.#way(instance)
    const { api } = way
    const { tables, at } = await api.ask(
      READ_SERVERS,
      (answers) => ({ tables: way.tables.read(answers), at: this.#clock.monoMs() }),
      signal,
    )
    const raw = await this.#complete(instance, tables, signal)
    const read = api.judge(() => this.#backends.flatMap((backend) => readingsOf(raw, backend)))
    const servers = sameList(way.servers, read)
    way.servers = servers
    const { process, version } = tables.info
    const reading = { instance, process, version, at, servers }
    way.last = { raw, reading }
    return way.withOldWork(reading, this.#clock, signal)
  }

  async readCounters(
    instance: string,
    servers: readonly ServerRef[],
    signal: AbortSignal,
  ): Promise<InstanceReading | undefined> {
    const way = this.#way(instance)
    const { api, last } = way
    const partial = last && PartialReading.at(last, servers)
    if (partial === undefined) return undefined
    const next = await api.ask(partial.commands, (answers) => partial.read(answers, this.#clock.monoMs()), signal)
    if (way.last !== last) return undefined
    way.last = next
    return next && way.withOldWork(next.reading, this.#clock, signal)
  }

  async inspect(instance: string, signal: AbortSignal): Promise<InstanceInspection> {
    const { api, oldWorkers } = this.#way(instance)
    // So a plan shows that nothing answers at the socket of the master.
    await oldWorkers?.work(signal)
    const { level, tables } = await api.ask(
      ['show cli level', ...READ_SERVERS],
      ([right = '', ...answers]) => ({ level: parseLevel(right), tables: parseTables(answers) }),
      signal,
    )
    if (oldWorkers !== undefined) api.judge(() => mustTellOfOldWork(tables.info.version))
    const raw = await this.#complete(instance, tables, signal)
    return api.judge(() => inspectionOf(raw, level, this.#backends))
  }

  /**
   * A server that leaves `maint` is up before its first check, whatever happened meanwhile (management.txt, `set server
   * state`). Therefore its health is reset on the way to `drain`: `rise` checks must pass first, as after an outage.
   */
  async setState(ref: ServerRef, state: AdminState, signal: AbortSignal): Promise<void> {
    const row = state === 'ready' ? undefined : await this.#row(ref, signal)
    const set = (to: AdminState) => setStateCommand(ref, to)
    const isUnproven = state === 'drain' && row !== undefined && leavesMaintUnproven(row)
    const before = state === 'maint' && row !== undefined ? statesBeforeMaint(row) : []
    await this.#command(
      ref,
      [...before.map(set), set(state), ...(isUnproven ? [forgetHealthCommand(ref)] : [])],
      signal,
    )
  }

  async setWeight(ref: ServerRef, weight: number, signal: AbortSignal): Promise<void> {
    await this.#command(ref, [setWeightCommand(ref, weight)], signal)
  }

  async clientConnections(instance: string, signal: AbortSignal): Promise<number> {
    const { api, oldWorkers } = this.#way(instance)
    const current = await api.ask([READ_FRONTENDS], ([answer = '']) => frontendConnections(answer), signal)
    return current + ((await oldWorkers?.work(signal))?.clients ?? 0)
  }

  async cutSessions(ref: ServerRef, signal: AbortSignal): Promise<void> {
    await this.#command(ref, [cutSessionsCommand(ref)], signal)
    const { oldWorkers } = this.#way(ref.instance)
    if (oldWorkers === undefined) return
    const { servers } = await this.read(ref.instance, signal)
    const server = servers.find((reading) => serverKey(reading.ref) === serverKey(ref))
    if (server !== undefined) await oldWorkers.cut(ref.backend, addressOf(server), signal)
  }

  /** Ends the ssh tunnels to the instances. */
  async close(): Promise<void> {
    await Promise.all([...this.#ways.values()].flatMap(({ api, oldWorkers }) => [api.close(), oldWorkers?.close()]))
  }

  /** A reading from before the answer may be from before the command. */
  async #command(ref: ServerRef, commands: readonly string[], signal: AbortSignal): Promise<void> {
    const way = this.#wayFor(ref)
    try {
      await way.api.ask(commands, (answers) => requireDone(answers, ref), signal)
    } finally {
      way.last = undefined
    }
  }

  async #complete(instance: string, tables: Tables, signal: AbortSignal): Promise<RawReading> {
    const { stickTables } = this.#way(instance)
    return { instance, tables, stickTables: await stickTables.of(tables.info.process, signal) }
  }

  #row(ref: ServerRef, signal: AbortSignal): Promise<ServerRow | undefined> {
    const { api, tables } = this.#wayFor(ref)
    const find = (answers: readonly string[]) => findRow(tables.read(answers), `${ref.backend}/${ref.server}`)
    return api.ask(READ_SERVERS, find, signal)
  }

  #wayFor(ref: ServerRef): InstanceWay {
    if (this.#backends.includes(ref.backend)) return this.#way(ref.instance)
    throw this.#notOurs(`backend ${ref.backend}`)
  }

  #way(instance: string): InstanceWay {
    const way = this.#ways.get(instance)
    if (way === undefined) throw this.#notOurs(`instance ${instance}`)
    return way
  }

  #notOurs(what: string): WorldError {
    return new WorldError(`${what} is not among those of balancer ${this.name} and is never touched`, {
      code: 'BALANCER_NO_BACKEND',
      retry: 'never',
    })
  }
}

/** The socket of the master is on the machine of the instance. */
function masterOf({ address, masterSocket }: HaproxyInstance): InstanceAddress | undefined {
  if (masterSocket === undefined || address.kind === 'tcp') return undefined
  return { ...address, path: masterSocket }
}

/** As `show stat` writes it. After a reload another server may have the name, so the address decides. */
const addressOf = ({ address, port }: ServerReading): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}`

function oldWorkOf(server: ServerReading, work: OldWork | WorldError): Partial<ServerReading> {
  if (work instanceof WorldError) return { oldUnknown: work.message }
  const { backend } = server.ref
  const rows = work.rows.filter((row) => row.backend === backend && row.address === addressOf(server))
  const oldSessions = rows.reduce((sum, { currentSessions, queued }) => sum + currentSessions + queued, 0)
  return { ...(oldSessions === 0 ? {} : { oldSessions }), ...(work.clients === 0 ? {} : { oldClients: work.clients }) }
}
