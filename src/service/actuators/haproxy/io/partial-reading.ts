import type { MonoMs } from '../../../../ground/model/time.ts'
import type { InstanceReading, ServerReading, ServerRef } from '../../../model/balancer.ts'
import { bareStatus } from './check-reading.ts'
import { parseInfo } from './parse-info.ts'
import { parseStat, type StatRow } from './parse-stat.ts'
import { mayStick, type RawReading, readingOf } from './server-reading.ts'
import type { ServerRow } from './server-row.ts'

/** A reading of all servers, with the tables that it was made from. */
export interface Whole {
  readonly raw: RawReading
  readonly reading: InstanceReading
}

/** HAProxy takes a command line of one buffer, 16 KiB unless the file says less. */
const MOST_SERVERS = 64

/** Where a server is in the tables and in the reading. */
interface Place {
  readonly row: ServerRow
  readonly rowAt: number
  readonly readingAt: number
}

/** Reads the counters of some servers of an instance, between two readings of all of them. */
export class PartialReading {
  readonly commands: readonly string[]
  readonly #whole: Whole
  readonly #places: readonly Place[]

  private constructor(whole: Whole, places: readonly Place[]) {
    this.#whole = whole
    this.#places = places
    this.commands = ['show info', ...places.map(({ row: { stat } }) => `show stat ${stat.proxyId} 4 ${stat.serverId}`)]
  }

  /** Undefined where one of the servers is not in the last whole reading, or they are too many for one line. */
  static at(whole: Whole, servers: readonly ServerRef[]): PartialReading | undefined {
    if (servers.length > MOST_SERVERS) return undefined
    const places = servers.map((server) => placeOf(whole, server))
    return places.every((place) => place !== undefined) ? new PartialReading(whole, places) : undefined
  }

  /**
   * The last reading with the new counters. Undefined where more has changed, or another process answers: then everything has
   * to be read anew. The status shows administrative states, except for a server that is down: it is `DOWN` in `drain` as well.
   */
  read(answers: readonly string[], at: MonoMs): Whole | undefined {
    const { raw, reading } = this.#whole
    const [info = '', ...tables] = answers
    const { process, stopping } = parseInfo(info)
    if (process !== reading.process || stopping) return undefined
    const rows = [...raw.tables.rows]
    const servers = [...reading.servers]
    for (const [i, { row, rowAt, readingAt }] of this.#places.entries()) {
      const [stat, ...rest] = parseStat(tables[i] ?? '')
      if (stat === undefined || rest.length > 0 || isOther(row.stat, stat)) return undefined
      const now = { ...row, stat }
      rows[rowAt] = now
      servers[readingAt] = readingOf(raw, now, { stickTable: mayStick(raw) })
    }
    const next = { ...raw, tables: { ...raw.tables, rows } }
    return { raw: next, reading: { ...reading, at, servers: this.#places.length === 0 ? reading.servers : servers } }
  }
}

function placeOf({ raw, reading }: Whole, ref: ServerRef): Place | undefined {
  const rowAt = raw.tables.rows.findIndex(({ state }) => state.server === ref.server && state.backend === ref.backend)
  const readingAt = reading.servers.findIndex((server) => isAt(server, ref))
  const row = raw.tables.rows[rowAt]
  return row === undefined || readingAt === -1 ? undefined : { row, rowAt, readingAt }
}

/** Compared without a text for each server of a long list, at each poll. */
const isAt = ({ ref }: ServerReading, { instance, backend, server }: ServerRef): boolean =>
  ref.server === server && ref.backend === backend && ref.instance === instance

/** A running check, or one that ended as the last one did, is no other state. */
const isOther = (was: StatRow, is: StatRow): boolean =>
  FIXED.some((field) => was[field] !== is[field]) || bareStatus(was) !== bareStatus(is)

/** All fields but the counters, and but what a running check shows. */
const FIXED = [
  ...(['backend', 'server', 'proxyId', 'serverId', 'status', 'backup', 'rise', 'fall', 'checkHealth'] as const),
  ...(['agentStatus', 'tracked', 'address', 'cookie', 'mode'] as const),
] as const satisfies readonly (keyof StatRow)[]
