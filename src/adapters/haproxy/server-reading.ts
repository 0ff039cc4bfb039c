import type { ServerReading } from '../../model/balancer.ts'
import { WorldError } from '../../model/world-error.ts'
import { adminStates } from './admin-bits.ts'
import { checkReading } from './check-reading.ts'
import type { Tables } from './parse-tables.ts'
import type { ServerRow } from './server-row.ts'
import { badReply } from './socket-error.ts'

const OPER_STATES = ['down', 'starting', 'up', 'stopping'] as const
const AGENT_CONFIGURED = 0x02

/** All that one instance told. */
export interface Told {
  readonly instance: string
  readonly tables: Tables
  /** Names of the stick tables that remember servers. */
  readonly stickTables: ReadonlySet<string>
  /** Readings of rows that were read before. */
  readonly known: WeakMap<ServerRow, ServerReading>
}

/** All servers of one backend. One that is absent or disabled is an error: no servers would read as nothing to do. */
export function readingsOf(told: Told, backend: string): readonly ServerReading[] {
  const rows = told.tables.rows.filter((row) => row.state.backend === backend)
  if (rows.length > 0) {
    const stickTable = hasStickTable(told, backend)
    return rows.map((row) => readingOf(told, row, stickTable))
  }
  const why = told.tables.disabledBackends.has(backend) ? 'it is disabled' : 'it is absent or has no server'
  throw new WorldError(`backend ${backend} cannot be read: ${why}`, { code: 'BALANCER_NO_BACKEND', retry: 'backoff' })
}

/** A table of a proxy without servers, or of a peers section, may serve `stick on` of any backend. */
export function hasStickTable({ tables, stickTables }: Told, backend: string): boolean {
  return stickTables.has(backend) || [...stickTables].some((name) => !tables.backends.has(name))
}

/** The reading of a row that follows no other says what the row says, and whether a table remembers its server. */
function readingOf(told: Told, row: ServerRow, stickTable: boolean): ServerReading {
  const persistent = row.stat.cookie !== '' || stickTable
  const known = row.stat.tracked === '' ? told.known.get(row) : undefined
  if (known?.persistent === persistent) return known
  const reading = readAnew(told, row, persistent)
  told.known.set(row, reading)
  return reading
}

function readAnew(told: Told, row: ServerRow, persistent: boolean): ServerReading {
  const { state, stat } = row
  const operational = OPER_STATES[state.operState]
  if (operational === undefined) throw badReply(`srv_op_state ${state.operState} has no known meaning`)
  return {
    ref: { instance: told.instance, backend: state.backend, server: state.server },
    address: state.address,
    port: state.port,
    ...adminStates(state.adminBits),
    operational,
    ...checkReading(row, told.tables),
    agent: (state.agentBits & AGENT_CONFIGURED) !== 0 || stat.agentStatus !== '',
    persistent,
    currentSessions: stat.currentSessions,
    queued: stat.queued,
    totalSessions: stat.totalSessions,
    idleConnections: stat.idleConnections,
    weight: state.weight,
    backup: stat.backup,
  }
}
