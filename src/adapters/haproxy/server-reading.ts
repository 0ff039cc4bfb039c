import type { ServerReading } from '../../model/balancer.ts'
import { WorldError } from '../../model/world-error.ts'
import { adminStates } from './admin-bits.ts'
import { checkReading } from './check-reading.ts'
import type { Tables } from './parse-tables.ts'
import type { ServerRow } from './server-row.ts'
import { badReply } from './socket-error.ts'

const OPER_STATES = ['down', 'starting', 'up', 'stopping'] as const
const AGENT_CONFIGURED = 0x02

export interface WantedBackend {
  readonly instance: string
  readonly backend: string
  readonly tables: Tables
}

/** All servers of one backend. One that is absent or disabled is an error: no servers would read as nothing to do. */
export function readingsOf({ instance, backend, tables }: WantedBackend): readonly ServerReading[] {
  const rows = [...tables.byKey.values()].filter((row) => row.state.backend === backend)
  if (rows.length > 0) return rows.map((row) => readingOf(instance, row, tables.byKey))
  const why = tables.disabledBackends.has(backend) ? 'it is disabled' : 'it is absent or has no server'
  throw new WorldError(`there is no backend ${backend} to read: ${why}`, {
    code: 'BALANCER_NO_BACKEND',
    retry: 'backoff',
  })
}

export function readingOf(instance: string, row: ServerRow, all: ReadonlyMap<string, ServerRow>): ServerReading {
  const { state, stat } = row
  const operational = OPER_STATES[state.operState]
  if (operational === undefined) throw badReply(`srv_op_state ${state.operState} has no known meaning`)
  return {
    ref: { instance, backend: state.backend, server: state.server },
    address: state.address,
    port: state.port,
    ...adminStates(state.adminBits),
    operational,
    ...checkReading(row, all),
    agent: (state.agentBits & AGENT_CONFIGURED) !== 0 || stat.agentStatus !== '',
    persistent: stat.cookie !== '',
    currentSessions: stat.currentSessions,
    queued: stat.queued,
    totalSessions: stat.totalSessions,
    weight: state.weight,
    backup: stat.backup,
  }
}
