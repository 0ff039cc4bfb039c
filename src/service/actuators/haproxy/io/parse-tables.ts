import { type ProcessInfo, parseInfo } from './parse-info.ts'
import { parseServersState } from './parse-servers-state.ts'
import { parseStat } from './parse-stat.ts'
import { joinRows, type ServerRow } from './server-row.ts'
import { unreachable } from './socket-error.ts'

/** The answers to `READ_SERVERS`, all of one process at one moment. */
export interface Tables {
  readonly info: ProcessInfo
  readonly rows: readonly ServerRow[]
  readonly backends: ReadonlySet<string>
  readonly disabledBackends: ReadonlySet<string>
}

export function parseTables(answers: readonly string[]): Tables {
  const [info = '', states = '', stats = ''] = answers
  const { rows, backends, disabledBackends } = joinRows(parseServersState(states), parseStat(stats))
  const process = parseInfo(info)
  if (process.stopping) throw unreachable('the process that answered is about to end')
  return { info: process, rows, backends, disabledBackends }
}

/** Finds a row by `backend/server`. */
export function findRow({ rows }: Pick<Tables, 'rows'>, key: string): ServerRow | undefined {
  const byKey = BY_KEY.get(rows) ?? new Map(rows.map((row) => [row.key, row]))
  BY_KEY.set(rows, byKey)
  return byKey.get(key)
}

/** Built only where servers track others, since each of them then looks up a row. */
const BY_KEY = new WeakMap<readonly ServerRow[], ReadonlyMap<string, ServerRow>>()
