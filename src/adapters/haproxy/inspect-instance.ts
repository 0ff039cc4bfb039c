import type { BackendInspection, InstanceInspection, SeenServer } from '../../model/balancer-inspection.ts'
import { READ_SERVERS } from './command.ts'
import type { InstanceApi } from './instance-api.ts'
import { parseTables, type Tables } from './parse-tables.ts'
import { readingOf } from './server-reading.ts'
import type { ServerRow } from './server-row.ts'
import { asksForServerIds, storesServerIds, tableNames } from './stick-tables.ts'

export interface InspectionScope {
  readonly instance: string
  readonly backends: readonly string[]
}

interface FirstLook {
  readonly level: InstanceInspection['level']
  readonly tables: Tables
  readonly stickTables: readonly string[]
}

/** HAProxy takes a command line of one buffer, 16 KiB unless the file says less. */
const TABLES_PER_LINE = 16

/** Reads and changes nothing: `show cli level` tells the right of the socket without trying it. */
export async function inspectInstance(
  api: InstanceApi,
  scope: InspectionScope,
  signal: AbortSignal,
): Promise<InstanceInspection> {
  const look = await api.ask(['show cli level', 'show table', ...READ_SERVERS], parseFirstLook, signal)
  const { info, byKey, disabledBackends, backends } = look.tables
  const sticky = await tablesWithServers(api, look.stickTables, signal)
  // A table of a proxy without servers, or of a peers section, may serve `stick on` of any backend.
  const shared = sticky.some((table) => !backends.has(table))
  const rows = [...byKey.values()]
  const ours = (row: ServerRow): boolean => scope.backends.includes(row.state.backend)
  return {
    instance: scope.instance,
    process: info.process,
    version: info.version,
    level: look.level,
    processes: info.processes,
    missingBackends: scope.backends.filter((name) => !backends.has(name) && !disabledBackends.has(name)),
    disabledBackends: scope.backends.filter((name) => disabledBackends.has(name)),
    backends: scope.backends
      .filter((name) => backends.has(name))
      .map((name) => inspectBackend(scope.instance, name, { byKey, stickTable: shared || sticky.includes(name) })),
    outside: rows.filter((row) => !ours(row)).map(seenServer),
  }
}

function parseFirstLook([level = '', tables = '', ...servers]: readonly string[]): FirstLook {
  return { level: parseLevel(level), stickTables: tableNames(tables), tables: parseTables(servers) }
}

function parseLevel(answer: string): InstanceInspection['level'] {
  return answer === 'admin' || answer === 'operator' || answer === 'user' ? answer : 'unknown'
}

async function tablesWithServers(
  api: InstanceApi,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = []
  for (let at = 0; at < names.length; at += TABLES_PER_LINE) {
    const some = names.slice(at, at + TABLES_PER_LINE)
    const stores = await api.ask(some.map(asksForServerIds), (answers) => answers.map(storesServerIds), signal)
    found.push(...some.filter((_, index) => stores[index] === true))
  }
  return found
}

interface BackendContext {
  readonly byKey: ReadonlyMap<string, ServerRow>
  readonly stickTable: boolean
}

function inspectBackend(instance: string, name: string, { byKey, stickTable }: BackendContext): BackendInspection {
  const rows = [...byKey.values()].filter((row) => row.state.backend === name)
  const mode = rows[0]?.stat.mode
  return {
    name,
    mode: mode === 'http' || mode === 'tcp' ? mode : 'other',
    servers: rows.map((row) => readingOf(instance, row, byKey)),
    stickTable,
    redispatch: rows.some((row) => row.stat.redispatched > 0) ? 'seen' : 'unknown',
  }
}

const seenServer = ({ state }: ServerRow): SeenServer => ({
  backend: state.backend,
  server: state.server,
  address: state.address,
  port: state.port,
})
