import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { behindHeader } from './behind-header.ts'
import { isName } from './command.ts'
import { KnownLines } from './known-lines.ts'
import { parseCount } from './parse-number.ts'
import { pickCells } from './pick-cells.ts'
import { badReply } from './socket-error.ts'

export interface ServerStateRow {
  readonly backend: string
  readonly server: string
  /** Empty where HAProxy has none: a unix socket, or a name not resolved yet. */
  readonly address: string
  readonly port: number
  /** 0 stopped, 1 starting, 2 running, 3 stopping. */
  readonly operState: number
  /** Bits: 0x01 maint, 0x02 maint of the tracked server, 0x04 `disabled` in the file, 0x08 drain, 0x10 drain of the tracked server, 0x20 maint by resolution. */
  readonly adminBits: number
  readonly weight: number
  readonly checkHealth: number
  /** Bits: 0x02 configured, 0x04 enabled, 0x08 paused. */
  readonly checkBits: number
  readonly agentBits: number
}

const FORMAT = '1'

const LINES = new KnownLines<ServerStateRow>(' ', ['srv_time_since_last_change'])

/**
 * `show servers state`: the format's number, the names of the columns, a row for each server. A row that is as it was in `before` is the
 * same object.
 */
export function parseServersState(answer: string, before: readonly ServerStateRow[] = []): readonly ServerStateRow[] {
  const { header: format, lines: table = '' } = behindHeader(answer)
  const { header, lines } = behindHeader(table)
  if (format !== FORMAT || !header.startsWith('# ')) {
    throw badReply(`"show servers state" is not in format 1: "${escapeForeign(answer, 80)}"`)
  }
  if (lines === undefined) return []
  const columns = header.slice(2).trim().split(' ')
  return LINES.read(lines, { header, columns, before, parse: rowParser(columns) })
}

const READ: ReadonlySet<string> = new Set([
  ...['be_name', 'srv_name', 'srv_addr', 'srv_port', 'srv_op_state', 'srv_admin_state', 'srv_uweight'],
  ...['srv_check_health', 'srv_check_state', 'srv_agent_state'],
])

function rowParser(columns: readonly string[]): (line: string) => ServerStateRow {
  const places = columns.flatMap((name, at) => (READ.has(name) ? [at] : []))
  const index = new Map(places.map((place, at) => [columns[place], at]))
  return (line) => {
    const { cells, columns: count } = pickCells(line.trimEnd(), ' ', places)
    if (count === columns.length) return parseRow(index, cells)
    throw badReply(`a row of "show servers state" has ${count} columns, its header ${columns.length}`)
  }
}

function parseRow(index: ReadonlyMap<string | undefined, number>, cells: readonly string[]): ServerStateRow {
  const text = (name: string): string => {
    const cell = cells[index.get(name) ?? -1]
    if (cell === undefined) throw badReply(`"show servers state" has no column ${name}`)
    return cell
  }
  const count = (name: string): number => parseCount(text(name), name)
  const backend = text('be_name')
  const server = text('srv_name')
  if (!isName(backend) || !isName(server)) {
    throw badReply(`"${escapeForeign(`${backend}/${server}`, 80)}" cannot be a server's name`)
  }
  const address = text('srv_addr')
  return {
    backend,
    server,
    address: address === '-' ? '' : address,
    port: count('srv_port'),
    operState: count('srv_op_state'),
    adminBits: count('srv_admin_state'),
    weight: count('srv_uweight'),
    checkHealth: count('srv_check_health'),
    checkBits: count('srv_check_state'),
    agentBits: count('srv_agent_state'),
  }
}
