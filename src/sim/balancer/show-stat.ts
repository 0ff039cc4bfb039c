import { invariant } from '../../model/invariant.ts'
import type { Backend } from './backend.ts'
import type { BalancerState } from './balancer-state.ts'
import type { Server } from './server.ts'
import type { CheckStatus, ServerCheck } from './server-check.ts'

/** The columns of 2.6.12 (management.txt 9.1). Behind `-` come those of protocol modules. */
const COLUMNS = (
  'pxname,svname,qcur,qmax,scur,smax,slim,stot,bin,bout,dreq,dresp,ereq,econ,eresp,wretr,wredis,status,weight,act,bck,' +
  'chkfail,chkdown,lastchg,downtime,qlimit,pid,iid,sid,throttle,lbtot,tracked,type,rate,rate_lim,rate_max,' +
  'check_status,check_code,check_duration,hrsp_1xx,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx,hrsp_other,hanafail,req_rate,' +
  'req_rate_max,req_tot,cli_abrt,srv_abrt,comp_in,comp_out,comp_byp,comp_rsp,lastsess,last_chk,last_agt,qtime,ctime,' +
  'rtime,ttime,agent_status,agent_code,agent_duration,check_desc,agent_desc,check_rise,check_fall,check_health,' +
  'agent_rise,agent_fall,agent_health,addr,cookie,mode,algo,conn_rate,conn_rate_max,conn_tot,intercepted,dcon,dses,' +
  'wrew,connect,reuse,cache_lookups,cache_hits,srv_icur,src_ilim,qtime_max,ctime_max,rtime_max,ttime_max,eint,' +
  'idle_conn_cur,safe_conn_cur,used_conn_cur,need_conn_est,uweight,agg_server_status,agg_server_check_status,' +
  'agg_check_status,-,ssl_sess,ssl_reused_sess,ssl_failed_handshake,h2_headers_rcvd,h2_data_rcvd,h2_settings_rcvd,' +
  'h2_rst_stream_rcvd,h2_goaway_rcvd,h2_detected_conn_protocol_errors,h2_detected_strm_protocol_errors,' +
  'h2_rst_stream_resp,h2_goaway_resp,h2_open_connections,h2_backend_open_streams,h2_total_connections,' +
  'h2_backend_total_streams,h1_open_connections,h1_open_streams,h1_total_connections,h1_total_streams,h1_bytes_in,' +
  'h1_bytes_out,h1_spliced_bytes_in,h1_spliced_bytes_out'
).split(',')

const PLACES: ReadonlyMap<string, number> = new Map(COLUMNS.map((name, at) => [name, at]))

type Cells = Readonly<Record<string, string | number>>

function write(row: string[], cells: Cells): void {
  for (const [name, value] of Object.entries(cells)) {
    const at = PLACES.get(name)
    invariant(at !== undefined, `"show stat" has no column ${name}`)
    row[at] = String(value)
  }
}

const ZEROS = (
  'qcur,qmax,bin,bout,dresp,wredis,bck,rate,rate_max,hrsp_1xx,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx,hrsp_other,cli_abrt,' +
  'srv_abrt,qtime,ctime,rtime,ttime,wrew,qtime_max,ctime_max,rtime_max,ttime_max,eint,need_conn_est,ssl_sess,' +
  'ssl_reused_sess,ssl_failed_handshake'
).split(',')

/** Of every server; bytes, rates and times are not counted. Empty is the cell behind the last comma. */
const BLANK: readonly string[] = blank()

function blank(): string[] {
  const row = [...COLUMNS.map(() => ''), '']
  for (const name of ZEROS) write(row, { [name]: 0 })
  write(row, { act: 1, pid: 1, type: 2, lastsess: -1, mode: 'http', '-': '-' })
  return row
}

/** `show stat -1 4 -1`: the servers of all backends. A roll reads it more often than anything else. */
export function showStat(state: BalancerState): string {
  const rows = state.backends.flatMap((backend) => backend.servers.map((server) => rowOf(backend, server)))
  return `${HEADER}${rows.join('')}`
}

const HEADER = `# ${COLUMNS.join(',')},\n`

interface Written {
  readonly server: Cells
  readonly check: Cells | undefined
  /** The row up to the seconds since its last change, and from behind its downtime, which is the next cell. */
  readonly head: string
  readonly tail: string
  /** With which the text was written. */
  seconds: string
  text: string
}

/** A server's row as it was written last: between two reads nothing but seconds goes by for most of them. */
const WRITTEN = new WeakMap<Server, Written>()
const SECONDS_AT = COLUMNS.indexOf('lastchg')

function rowOf(backend: Backend, server: Server): string {
  const written = writtenOf(backend, server)
  const downS = server.check === undefined ? '' : Math.floor(server.downMs / 1_000)
  const seconds = `${Math.floor(server.sinceChangeMs / 1_000)},${downS}`
  if (seconds !== written.seconds) {
    written.seconds = seconds
    written.text = `${written.head},${seconds},${written.tail}`
  }
  return written.text
}

function writtenOf(backend: Backend, server: Server): Written {
  const cells = serverCells(backend, server)
  const check = server.check === undefined ? undefined : checkCells(server.check, server)
  const known = WRITTEN.get(server)
  if (known !== undefined && isSame(known.server, cells) && isSame(known.check, check)) return known
  const row = [...BLANK]
  write(row, cells)
  if (check !== undefined) write(row, check)
  const head = row.slice(0, SECONDS_AT).join(',')
  const tail = `${row.slice(SECONDS_AT + 2).join(',')}\n`
  const written = { server: cells, check, head, tail, seconds: '', text: '' }
  WRITTEN.set(server, written)
  return written
}

/** Of the same columns. */
function isSame(known: Cells | undefined, cells: Cells | undefined): boolean {
  for (const name in cells) if (known?.[name] !== cells[name]) return false
  return true
}

function serverCells(backend: Backend, server: Server): Cells {
  const { config, counters, idle, sessions, weight } = server
  const { reused } = idle
  return {
    pxname: backend.name,
    svname: config.name,
    scur: sessions.size,
    smax: counters.mostSessions,
    stot: counters.sessions,
    econ: counters.connectErrors,
    eresp: counters.responseErrors,
    wretr: counters.retries,
    status: statusText(server),
    weight,
    iid: backend.id,
    sid: server.id,
    lbtot: counters.sessions,
    addr: `${config.address}:${config.port}`,
    connect: counters.connects,
    reuse: counters.reuses,
    srv_icur: idle.size,
    idle_conn_cur: idle.size - reused,
    safe_conn_cur: reused,
    used_conn_cur: sessions.size,
    uweight: weight,
  }
}

/** All but the first two are empty while checks are paused, as in maint. */
function checkCells(check: ServerCheck, { counters }: Server): Cells {
  const { last, isRunning, isPaused, config, health } = check
  const status = last?.status ?? 'INI'
  return {
    chkfail: check.failures,
    chkdown: counters.timesDown,
    check_status: isPaused ? '' : `${isRunning ? '* ' : ''}${status}`,
    check_desc: isPaused ? '' : DESCRIPTIONS[status],
    check_rise: isPaused ? '' : config.rise,
    check_fall: isPaused ? '' : config.fall,
    check_health: isPaused ? '' : health,
    check_duration: isPaused || last === undefined ? '' : Math.round(last.durationMs),
    check_code: isPaused ? '' : codeText(check),
  }
}

/** While the next check runs, the code of the last one is 0 already. */
const codeText = ({ last, isRunning }: ServerCheck): string | number =>
  last === undefined || last.code === 0 ? '' : isRunning ? 0 : last.code

const DESCRIPTIONS: Readonly<Record<CheckStatus, string>> = {
  INI: 'Initializing',
  L4TOUT: 'Layer4 timeout',
  L4CON: 'Layer4 connection problem',
  L7TOUT: 'Layer7 timeout',
  L7RSP: 'Layer7 invalid response',
  L7OK: 'Layer7 check passed',
  L7STS: 'Layer7 wrong status',
}

/** `UP 2/3`: so many failures are left; `DOWN 1/2`: so many passes came. */
function statusText({ admin, oper, check }: Server): string {
  if (admin === 'maint') return 'MAINT'
  if (check === undefined && oper === 'running') return admin === 'drain' ? 'DRAIN' : 'no check'
  const { health, fullHealth, config } = check ?? { health: 0, fullHealth: 0, config: { rise: 0, fall: 0 } }
  if (oper === 'stopped') return health > 0 ? `DOWN ${health}/${config.rise}` : 'DOWN'
  const left = health < fullHealth ? ` ${health - config.rise + 1}/${config.fall}` : ''
  const word = oper === 'stopping' ? 'NOLB' : admin === 'drain' ? 'DRAIN' : 'UP'
  return `${word}${left}`
}
