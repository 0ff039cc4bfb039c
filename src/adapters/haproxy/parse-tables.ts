import { type ProcessInfo, parseInfo } from './parse-info.ts'
import { parseServersState } from './parse-servers-state.ts'
import { parseStat } from './parse-stat.ts'
import { joinRows, type ServerRow } from './server-row.ts'
import { unreachable } from './socket-error.ts'

/** The answers to `READ_SERVERS`, all of one process at one moment. */
export interface Tables {
  readonly info: ProcessInfo
  readonly byKey: ReadonlyMap<string, ServerRow>
  readonly backends: ReadonlySet<string>
  readonly disabledBackends: ReadonlySet<string>
}

export function parseTables(answers: readonly string[]): Tables {
  const [info = '', states = '', stats = ''] = answers
  const { rows, disabledBackends } = joinRows(parseServersState(states), parseStat(stats))
  const process = parseInfo(info)
  if (process.stopping) throw unreachable('the process that answered is about to end')
  return {
    info: process,
    byKey: new Map(rows.map((row) => [row.key, row])),
    backends: new Set(rows.map((row) => row.state.backend)),
    disabledBackends,
  }
}
