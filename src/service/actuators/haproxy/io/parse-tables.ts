import { sameList } from '../../../../ground/model/same-list.ts'
import { type ProcessInfo, parseInfo } from './parse-info.ts'
import { parseServersState, type ServerStateRow } from './parse-servers-state.ts'
import { parseStat, type StatRow } from './parse-stat.ts'
import { type JoinedRows, joinRows, type ServerRow } from './server-row.ts'
import { unreachable } from './socket-error.ts'

/** The answers to `READ_SERVERS`, all of one process at one moment. */
export interface Tables {
  readonly info: ProcessInfo
  readonly rows: readonly ServerRow[]
  readonly backends: ReadonlySet<string>
  readonly disabledBackends: ReadonlySet<string>
}

export const parseTables = (answers: readonly string[]): Tables => new TableReader().read(answers)

/** Reads the answers of one instance again and again: what is as it was is the same object as before. */
export class TableReader {
  #states: readonly ServerStateRow[] = []
  #stats: readonly StatRow[] = []
  #joined: JoinedRows = joinRows([], [])

  read(answers: readonly string[]): Tables {
    const [info = '', states = '', stats = ''] = answers
    this.#join(
      sameList(this.#states, parseServersState(states, this.#states)),
      sameList(this.#stats, parseStat(stats, this.#stats)),
    )
    const process = parseInfo(info)
    if (process.stopping) throw unreachable('the process that answered is about to end')
    return { info: process, ...this.#joined }
  }

  #join(states: readonly ServerStateRow[], stats: readonly StatRow[]): void {
    if (states === this.#states && stats === this.#stats) return
    this.#joined = joinRows(states, stats, this.#joined)
    this.#states = states
    this.#stats = stats
  }
}

/** Finds a row by `backend/server`. */
export function findRow({ rows }: Pick<Tables, 'rows'>, key: string): ServerRow | undefined {
  const byKey = BY_KEY.get(rows) ?? new Map(rows.map((row) => [row.key, row]))
  BY_KEY.set(rows, byKey)
  return byKey.get(key)
}

/** Built only where servers track others, since each of them then looks up a row. */
const BY_KEY = new WeakMap<readonly ServerRow[], ReadonlyMap<string, ServerRow>>()
