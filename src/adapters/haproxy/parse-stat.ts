import { escapeForeign } from '../../model/foreign-text.ts'
import { behindHeader } from './behind-header.ts'
import { parseCsv } from './parse-csv.ts'
import { parseCount } from './parse-number.ts'
import { pickCells } from './pick-cells.ts'
import type { RowParser } from './read-again.ts'
import { RowMemo } from './row-memo.ts'
import { badReply } from './socket-error.ts'

export interface StatRow {
  readonly backend: string
  readonly server: string
  readonly queued: number
  readonly currentSessions: number
  readonly totalSessions: number
  /** Pooled connections to the server that no session uses; 0 where the version does not tell (before 2.2). */
  readonly idleConnections: number
  readonly redispatched: number
  readonly backup: boolean
  /** `L7OK`, `* L4CON` while the next check runs; empty where no check runs. */
  readonly checkStatus: string
  readonly checkCode: string
  readonly rise: number
  readonly fall: number
  /** Empty where no agent-check runs. */
  readonly agentStatus: string
  /** `backend/server` whose state it follows; empty where it follows none. */
  readonly tracked: string
  /** Shown to level `operator` and above; empty where there is none. */
  readonly address: string
  /** Shown to level `operator` and above; empty where there is none. */
  readonly cookie: string
  readonly mode: string
}

const SERVER_TYPE = '2'
const OPTIONAL: ReadonlySet<string> = new Set(['idle_conn_cur', 'safe_conn_cur'])

/** `show stat -1 4 -1`: a header, then a row for each server of each backend that is not disabled. */
export const parseStat = (answer: string, memo: StatMemo = new RowMemo()): readonly StatRow[] =>
  memo.of(answer, () => readStat(answer, memo))

function readStat(answer: string, memo: StatMemo): readonly StatRow[] {
  if (!answer.startsWith('# pxname,')) {
    throw badReply(`"show stat" begins with no header: "${escapeForeign(answer, 80)}"`)
  }
  const { header, lines } = behindHeader(answer.slice(2))
  const parser = memo.parser(header, () => parserOf(header.split(',')))
  const isParted = !answer.includes('"') || !(lines ?? '').split('\n').some(breaksOff)
  if (isParted) return memo.rows(header, lines, parser)
  const rows = parseCsv(answer.slice(2)).slice(1)
  return rows.map((row) => parser.parse(parser.picked(row)))
}

/** A line end inside quotes ends no row. */
const breaksOff = (line: string): boolean => line.includes('"') && line.split('"').length % 2 === 0

const READ: ReadonlySet<string> = new Set([
  ...['pxname', 'svname', 'type', 'qcur', 'scur', 'stot', 'idle_conn_cur', 'safe_conn_cur', 'wredis', 'bck'],
  ...['check_status', 'check_code', 'check_rise', 'check_fall', 'agent_status', 'tracked', 'addr', 'cookie', 'mode'],
])

interface StatParser extends RowParser<StatRow> {
  readonly picked: (row: readonly string[]) => readonly string[]
}

export type StatMemo = RowMemo<StatRow, StatParser>

function parserOf(columns: readonly string[]): StatParser {
  const places = columns.flatMap((name, at) => (READ.has(name) ? [at] : []))
  const index = new Map(places.map((place, at) => [columns[place], at]))
  const checked = (cells: readonly string[], count: number): readonly string[] => {
    if (count === columns.length) return cells
    throw badReply(`a row of "show stat" has ${count} columns, its header ${columns.length}`)
  }
  const picked = (row: readonly string[]): readonly string[] =>
    checked(
      places.map((place) => row[place] ?? ''),
      row.length,
    )
  return {
    separator: ',',
    places,
    picked,
    // Quotes are rare: without them a comma ends a cell.
    cellsOf: (line) => {
      if (line.includes('"')) return picked(parseCsv(line).flat())
      const { cells, columns: count } = pickCells(line, ',', places)
      return checked(cells, count)
    },
    parse: (cells) =>
      parseRow((name) => {
        if (OPTIONAL.has(name) && !index.has(name)) return ''
        const cell = cells[index.get(name) ?? -1]
        if (cell === undefined) throw badReply(`"show stat" has no column ${name}`)
        return cell
      }),
  }
}

function parseRow(text: (name: string) => string): StatRow {
  const count = (name: string): number => parseCount(text(name), name)
  const optionalCount = (name: string): number => (text(name) === '' ? 0 : count(name))
  if (text('type') !== SERVER_TYPE) throw badReply('"show stat" answers with rows that are not servers')
  return {
    backend: text('pxname'),
    server: text('svname'),
    queued: count('qcur'),
    currentSessions: count('scur'),
    totalSessions: count('stot'),
    // Two pools: `idle_conn_cur` counts the unsafe one alone, and `http-reuse safe` fills the other.
    idleConnections: optionalCount('idle_conn_cur') + optionalCount('safe_conn_cur'),
    redispatched: optionalCount('wredis'),
    backup: count('bck') === 1,
    checkStatus: text('check_status'),
    checkCode: text('check_code'),
    rise: optionalCount('check_rise'),
    fall: optionalCount('check_fall'),
    agentStatus: text('agent_status'),
    tracked: text('tracked'),
    address: text('addr'),
    cookie: text('cookie'),
    mode: text('mode'),
  }
}
