import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { behindHeader } from './behind-header.ts'
import { KnownLines } from './known-lines.ts'
import { parseCsv } from './parse-csv.ts'
import { parseCount } from './parse-number.ts'
import { pickCells } from './pick-cells.ts'
import { badReply } from './socket-error.ts'

export interface StatRow {
  readonly backend: string
  readonly server: string
  /** The ids of proxy and server in the process that answers; another process may number them anew. */
  readonly proxyId: number
  readonly serverId: number
  /** `UP 1/3`, `DRAIN`, `MAINT (via web/a)`: administrative and operational states in one text. */
  readonly status: string
  readonly queued: number
  readonly currentSessions: number
  readonly totalSessions: number
  /** Pooled connections to the server that no session uses; 0 where the version does not show them (before 2.2). */
  readonly idleConnections: number
  readonly redispatched: number
  readonly backup: boolean
  /** `L7OK`, `* L4CON` while the next check runs; empty where no check runs. */
  readonly checkStatus: string
  readonly checkCode: string
  readonly rise: number
  readonly fall: number
  /** Empty where no check runs. */
  readonly checkHealth: string
  /** Empty where no agent-check runs. */
  readonly agentStatus: string
  /** `backend/server` that this server tracks; empty where it tracks none. */
  readonly tracked: string
  /** Shown to level `operator` and above; empty where there is none. */
  readonly address: string
  /** Shown to level `operator` and above; empty where there is none. */
  readonly cookie: string
  readonly mode: string
}

const SERVER_TYPE = '2'
const OPTIONAL: ReadonlySet<string> = new Set(['idle_conn_cur', 'safe_conn_cur', 'check_health'])

const LINES = new KnownLines<StatRow>(',', ['lastchg', 'downtime'])

/**
 * `show stat -1 4 -1`: a header, then a row for each server of each backend that is not disabled, or the one asked for. A row that is as
 * it was in `before` is the same object.
 */
export function parseStat(answer: string, before: readonly StatRow[] = []): readonly StatRow[] {
  if (!answer.startsWith('# pxname,')) {
    throw badReply(`"show stat" begins with no header: "${escapeForeign(answer, 80)}"`)
  }
  const { header, lines } = behindHeader(answer.slice(2))
  if (lines === undefined) return []
  const columns = header.split(',')
  const { ofCells, ofLine } = rowParser(columns)
  // Quotes are rare: without them a comma ends a cell, and a line end a row.
  if (answer.includes('"')) return parseCsv(lines).map(ofCells)
  return LINES.read(lines, { header, columns, before, parse: ofLine })
}

const READ: ReadonlySet<string> = new Set([
  ...['pxname', 'svname', 'type', 'qcur', 'scur', 'stot', 'idle_conn_cur', 'safe_conn_cur', 'wredis', 'bck'],
  ...['iid', 'sid', 'status', 'check_health'],
  ...['check_status', 'check_code', 'check_rise', 'check_fall', 'agent_status', 'tracked', 'addr', 'cookie', 'mode'],
])

interface RowParser {
  readonly ofLine: (line: string) => StatRow
  readonly ofCells: (row: readonly string[]) => StatRow
}

function rowParser(columns: readonly string[]): RowParser {
  const places = columns.flatMap((name, at) => (READ.has(name) ? [at] : []))
  const index = new Map(places.map((place, at) => [columns[place], at]))
  const parse = (cells: readonly string[], count: number): StatRow => {
    if (count !== columns.length) {
      throw badReply(`a row of "show stat" has ${count} columns, its header ${columns.length}`)
    }
    return parseRow((name) => {
      if (OPTIONAL.has(name) && !index.has(name)) return ''
      const cell = cells[index.get(name) ?? -1]
      if (cell === undefined) throw badReply(`"show stat" has no column ${name}`)
      return cell
    })
  }
  return {
    ofCells: (row) =>
      parse(
        places.map((place) => row[place] ?? ''),
        row.length,
      ),
    ofLine: (line) => {
      const { cells, columns: count } = pickCells(line, ',', places)
      return parse(cells, count)
    },
  }
}

function parseRow(text: (name: string) => string): StatRow {
  const count = (name: string): number => parseCount(text(name), name)
  const optionalCount = (name: string): number => (text(name) === '' ? 0 : count(name))
  if (text('type') !== SERVER_TYPE) throw badReply('"show stat" answers with rows that are not servers')
  return {
    backend: text('pxname'),
    server: text('svname'),
    proxyId: count('iid'),
    serverId: count('sid'),
    status: text('status'),
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
    checkHealth: text('check_health'),
    agentStatus: text('agent_status'),
    tracked: text('tracked'),
    address: text('addr'),
    cookie: text('cookie'),
    mode: text('mode'),
  }
}
