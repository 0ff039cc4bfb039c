import { WorldError } from '../../../../ground/model/world-error.ts'
import type { ServerReading } from '../../../model/balancer.ts'
import { adminStates } from './admin-bits.ts'
import { checkReading } from './check-reading.ts'
import type { Tables } from './parse-tables.ts'
import type { ServerRow } from './server-row.ts'
import { badReply } from './socket-error.ts'

const OPER_STATES = ['down', 'starting', 'up', 'stopping'] as const
const AGENT_CONFIGURED = 0x02
const AGENT_ENABLED = 0x04
const LAST_PORT = 65_535

/** All that was read from one instance, before it becomes a reading. */
export interface RawReading {
  readonly instance: string
  readonly tables: Tables
  /** Names of the stick tables that remember servers. */
  readonly stickTables: ReadonlySet<string>
}

/**
 * All servers of one backend. A backend that is absent or disabled is an error: an empty list would mean that there is nothing
 * to do.
 */
export function readingsOf(raw: RawReading, backend: string): readonly ServerReading[] {
  const rows = raw.tables.rows.filter((row) => row.state.backend === backend)
  if (rows.length > 0) {
    return rows.map((row) => knownReading(raw, row, mayStick(raw)))
  }
  const why = raw.tables.disabledBackends.has(backend) ? 'it is disabled' : 'it is absent or has no server'
  throw new WorldError(`backend ${backend} cannot be read: ${why}`, { code: 'BALANCER_NO_BACKEND', retry: 'backoff' })
}

interface KnownReading {
  readonly instance: string
  readonly stickTable: boolean
  readonly reading: ServerReading
}

const KNOWN = new WeakMap<ServerRow, KnownReading>()

/** The same object as before where nothing has changed. What a server that tracks others reads as depends on their rows too. */
function knownReading(raw: RawReading, row: ServerRow, stickTable: boolean): ServerReading {
  const { instance } = raw
  const known = row.stat.tracked === '' ? KNOWN.get(row) : undefined
  if (known?.instance === instance && known.stickTable === stickTable) return known.reading
  const reading = readingOf(raw, row, { stickTable })
  KNOWN.set(row, { instance, stickTable, reading })
  return reading
}

/** Every backend may `stick on` any table, also one of another backend, and the API does not show which ones do. */
export const mayStick = ({ stickTables }: RawReading): boolean => stickTables.size > 0

/** The reading of a server, from its row, the rows that it tracks, and whether a stick table remembers it. */
export function readingOf(
  raw: Pick<RawReading, 'instance' | 'tables'>,
  row: ServerRow,
  { stickTable }: { readonly stickTable: boolean },
): ServerReading {
  const { state, stat } = row
  const operational = OPER_STATES[state.operState]
  if (operational === undefined) throw badReply(`srv_op_state ${state.operState} has no known meaning`)
  return {
    ref: { instance: raw.instance, backend: state.backend, server: state.server },
    address: state.address,
    port: portOf(state),
    ...adminStates(state.adminBits),
    operational,
    ...checkReading(row, raw.tables),
    ...agentOf(row),
    persistent: row.stat.cookie !== '' || stickTable,
    currentSessions: stat.currentSessions,
    queued: stat.queued,
    totalSessions: stat.totalSessions,
    idleConnections: stat.idleConnections,
    weight: state.weight,
    backup: stat.backup,
  }
}

/** `disable agent` leaves it configured. */
function agentOf({ state: { agentBits }, stat }: ServerRow): Pick<ServerReading, 'agent' | 'agentDisabled'> {
  const isConfigured = (agentBits & AGENT_CONFIGURED) !== 0
  const isDisabled = isConfigured && (agentBits & AGENT_ENABLED) === 0
  return { agent: isConfigured || stat.agentStatus !== '', ...(isDisabled ? { agentDisabled: true } : {}) }
}

/** 0: there is no port, or one that HAProxy adds to that of the client (`:-1000` is printed as 4294966296). */
const portOf = ({ port }: ServerRow['state']): number => (port > LAST_PORT ? 0 : port)
