import { type ProcessInfo, parseInfo } from './parse-info.ts'
import { parseServersState, type ServerStateRow } from './parse-servers-state.ts'
import { parseStat, type StatMemo } from './parse-stat.ts'
import { RowMemo } from './row-memo.ts'
import { RowJoin, type ServerRow } from './server-row.ts'
import { unreachable } from './socket-error.ts'

/** The answers to `READ_SERVERS`, all of one process at one moment. */
export interface Tables {
  readonly info: ProcessInfo
  readonly rows: readonly ServerRow[]
  readonly backends: ReadonlySet<string>
  readonly disabledBackends: ReadonlySet<string>
}

/**
 * What the tables of one instance were read from last: it is polled several times a second and lists every node, while
 * next to nothing changes. It spares work and tells nothing.
 */
export class TableMemo {
  readonly states = new RowMemo<ServerStateRow>()
  readonly stats: StatMemo = new RowMemo()
  readonly join = new RowJoin()
}

export function parseTables(answers: readonly string[], memo = new TableMemo()): Tables {
  const [info = '', states = '', stats = ''] = answers
  const { rows, backends, disabledBackends } = memo.join.join(
    parseServersState(states, memo.states),
    parseStat(stats, memo.stats),
  )
  const process = parseInfo(info)
  if (process.stopping) throw unreachable('the process that answered is about to end')
  return { info: process, rows, backends, disabledBackends }
}

/** By `backend/server`. */
export function findRow({ rows }: Pick<Tables, 'rows'>, key: string): ServerRow | undefined {
  const byKey = BY_KEY.get(rows) ?? new Map(rows.map((row) => [row.key, row]))
  BY_KEY.set(rows, byKey)
  return byKey.get(key)
}

/** Asked for only where servers track others, and then by each of them. */
const BY_KEY = new WeakMap<readonly ServerRow[], ReadonlyMap<string, ServerRow>>()
