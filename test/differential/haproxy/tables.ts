/** Cells of one server, by their names: those that must be alike in both worlds. */
type Cells = Readonly<Record<string, string>>

const RUNNING_BIT = 0x01
const PAUSED_BIT = 0x08
const ENABLED_BIT = 0x04
const CONFIGURED_BIT = 0x02
const OF_STATE = [
  ...['be_id', 'srv_id', 'srv_op_state', 'srv_admin_state', 'srv_uweight', 'srv_iweight', 'srv_check_status'],
  ...['srv_check_health', 'srv_check_state', 'srv_agent_state', 'bk_f_forced_id', 'srv_fqdn', 'srv_use_ssl'],
]
const OF_STAT = [
  ...['qcur', 'scur', 'slim', 'status', 'weight', 'act', 'bck', 'throttle', 'tracked', 'check_status', 'check_desc'],
  ...[
    'check_rise',
    'check_fall',
    'check_health',
    'agent_status',
    'agent_desc',
    'agent_rise',
    'agent_fall',
    'agent_health',
  ],
  ...['cookie', 'uweight', 'mode', 'type', 'iid', 'sid'],
]
/** These change at once by a command, whatever checks say meanwhile; of a server that is neither checked nor asked, all. */
const AT_ONCE = ['srv_admin_state', 'srv_uweight', 'srv_iweight', 'slim', 'act', 'bck', 'cookie']
const AT_ONCE_UNASKED = [...AT_ONCE, 'srv_op_state', 'srv_check_health', 'srv_check_state', 'status', 'qcur']

export const TABLES = 'show servers state;show stat -1 4 -1'

/** Both tables as cells, by `BACKEND/SERVER`. */
export function cellsOf(text: string): Readonly<Record<string, Cells>> {
  const [states = '', stats = ''] = text.split('\n\n')
  const ofState = rows(states.split('\n').slice(1), ' ', ['be_name', 'srv_name'])
  const ofStat = rows(stats.split('\n'), ',', ['pxname', 'svname'])
  const all = [...ofState].map(([server, state]) => [
    server,
    { ...picked(state, OF_STATE), ...picked(ofStat.get(server) ?? {}, OF_STAT) },
  ])
  return Object.fromEntries(all)
}

/** What a command changes at once. */
export function atOnce(cells: Readonly<Record<string, Cells>>): Readonly<Record<string, Cells>> {
  const firm = Object.entries(cells).map(([server, all]) => {
    const isAsked = hasBit(all.srv_check_state) || hasBit(all.srv_agent_state) || all.tracked !== ''
    return [server, picked(all, isAsked ? AT_ONCE : AT_ONCE_UNASKED)]
  })
  // An agent sets admin states, weights and limits whenever it is asked.
  return Object.fromEntries(firm.filter(([server]) => !isAgentIn(cells, String(server))))
}

const hasBit = (bits = '0'): boolean => (Number(bits) & CONFIGURED_BIT) !== 0

function isAgentIn(cells: Readonly<Record<string, Cells>>, server: string): boolean {
  const own = cells[server] ?? {}
  const tracked = cells[own.tracked ?? ''] ?? {}
  return hasBit(own.srv_agent_state) || hasBit(tracked.srv_agent_state)
}

function rows(
  lines: readonly string[],
  separator: string,
  names: readonly [string, string],
): ReadonlyMap<string, Cells> {
  const [header = '', ...texts] = lines
  const columns = header.replace('# ', '').split(separator)
  const cells = texts
    .filter((text) => text !== '')
    .map((text) => Object.fromEntries(text.split(separator).map((cell, at) => [columns[at] ?? '', cell])))
  return new Map(cells.map((row) => [`${row[names[0]]}/${row[names[1]]}`, row]))
}

const picked = (row: Cells, columns: readonly string[]): Cells =>
  Object.fromEntries(columns.map((column) => [column, steady(column, row)]))

/** Without what tells of a check that runs just now, or that ran when checks began to rest. */
function steady(column: string, row: Cells): string {
  const cell = row[column] ?? ''
  const bits = Number(row.srv_check_state)
  if ((column === 'srv_check_health' || column === 'srv_check_status') && isResting(bits)) return 'resting'
  if (column.endsWith('_status')) return cell.replace('* ', '')
  return column === 'srv_check_state' || column === 'srv_agent_state' ? String(Number(cell) & ~RUNNING_BIT) : cell
}

const isResting = (bits: number): boolean =>
  (bits & PAUSED_BIT) !== 0 || ((bits & CONFIGURED_BIT) !== 0 && (bits & ENABLED_BIT) === 0)
