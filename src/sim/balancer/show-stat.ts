import { invariant } from '../../ground/model/invariant.ts'
import type { Backend } from './backend.ts'
import type { BalancerState } from './balancer-state.ts'
import type { Server } from './server.ts'
import type { CheckStatus, ServerCheck } from './server-check.ts'
import { type RowWriting, ServerRows } from './server-rows.ts'

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

const ZEROS = (
  'qcur,qmax,bin,bout,dresp,wredis,bck,rate,rate_max,hrsp_1xx,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx,hrsp_other,cli_abrt,' +
  'srv_abrt,qtime,ctime,rtime,ttime,wrew,qtime_max,ctime_max,rtime_max,ttime_max,eint,need_conn_est,ssl_sess,' +
  'ssl_reused_sess,ssl_failed_handshake'
).split(',')

/** Of every server; bytes, rates and times are not counted. */
const FIXED: ReadonlyMap<string, string | number> = new Map<string, string | number>([
  ...ZEROS.map((name) => [name, 0] as const),
  ...Object.entries({ act: 1, pid: 1, type: 2, lastsess: -1, mode: 'http', '-': '-' }),
])

/** What differs from server to server, in the order of the columns; but for `lastchg` and `downtime`, which never rest. */
const SHOWN = (
  'pxname,svname,scur,smax,stot,econ,eresp,wretr,status,weight,chkfail,chkdown,iid,sid,lbtot,tracked,check_status,check_code,' +
  'check_duration,check_desc,check_rise,check_fall,check_health,addr,cookie,connect,reuse,srv_icur,idle_conn_cur,' +
  'safe_conn_cur,used_conn_cur,uweight'
).split(',')

type Cells = readonly (string | number)[]

/** What stands before each told cell, and behind the last. */
interface Template {
  readonly before: readonly string[]
  readonly behind: string
}

function templateOf(columns: readonly string[]): Template {
  const before: string[] = []
  let text = ''
  for (const name of columns) {
    if (SHOWN.includes(name)) {
      before.push(text)
      text = ','
    } else text += `${FIXED.get(name) ?? ''},`
  }
  return { before, behind: text }
}

const SECONDS_AT = COLUMNS.indexOf('lastchg')
const HEAD = templateOf(COLUMNS.slice(0, SECONDS_AT))
const TAIL = templateOf(COLUMNS.slice(SECONDS_AT + 2))
invariant(
  COLUMNS.filter((name) => SHOWN.includes(name)).join() === SHOWN.join(),
  'what is told of a server stands in the order of the columns of "show stat"',
)

function filled({ before, behind }: Template, cells: Cells, from: number): string {
  return [...before.flatMap((fixed, at) => [fixed, cells[from + at]]), behind].join('')
}

/**
 * `show stat -1 4 -1`: the servers of all backends, as pieces of text. A roll reads it more often than anything else, so
 * that texts which are kept are joined: what is put together by `+` is put together anew whenever it is read.
 */
export const showStat = (state: BalancerState): readonly string[] => ROWS.of(state)

const HEADER = `# ${COLUMNS.join(',')},\n`

/** `show stat IID 4 SID`: the header, and the row of that server if there is one. */
export function showServerStat({ backends }: BalancerState, command: string): readonly string[] {
  const [, , proxyId, , serverId] = command.split(' ').map(Number)
  const backend = backends.find(({ id }) => id === proxyId)
  const server = backend?.servers.find(({ id }) => id === serverId)
  if (backend === undefined || server === undefined) return [HEADER]
  return [HEADER, WRITING.textOf(WRITING.partsOf(backend, server, undefined), server)]
}

interface Written {
  readonly cells: Cells
  /** The row up to the seconds since its last change, and from behind its downtime, which is the next cell. */
  readonly head: string
  readonly tail: string
}

const WRITING: RowWriting<Written> = {
  partsOf: (backend, server, last) => {
    const cells = cellsOf(backend, server)
    if (last !== undefined && isSame(last.cells, cells)) return last
    return { cells, head: filled(HEAD, cells, 0), tail: filled(TAIL, cells, HEAD.before.length) }
  },
  textOf: ({ head, tail }, server) => {
    const downS = server.check === undefined ? '' : server.downS
    return [head, server.sinceChangeS, ',', downS, ',', tail, '\n'].join('')
  },
}

const ROWS = new ServerRows<Written>(HEADER, WRITING)

function isSame(known: Cells, cells: Cells): boolean {
  for (let at = 0; at < cells.length; at += 1) if (known[at] !== cells[at]) return false
  return true
}

/** As `TOLD` names them. Of a check all but the first two are empty while it is paused, as in maint. */
function cellsOf(backend: Backend, server: Server): Cells {
  const { config, counters, idle, sessions, weight, check } = server
  const { reused, size } = idle
  const shown = check === undefined || check.isPaused ? undefined : check
  const status = shown?.last?.status ?? 'INI'
  return [
    backend.name,
    config.name,
    sessions.size,
    counters.mostSessions,
    counters.sessions,
    counters.connectErrors,
    counters.responseErrors,
    counters.retries,
    statusText(server),
    weight,
    check?.failures ?? '',
    check === undefined ? '' : counters.timesDown,
    backend.id,
    server.id,
    counters.sessions,
    config.track ?? '',
    shown === undefined ? '' : shown.isRunning ? `* ${status}` : status,
    shown === undefined ? '' : codeText(shown),
    shown?.last === undefined ? '' : Math.round(shown.last.durationMs),
    shown === undefined ? '' : DESCRIPTIONS[status],
    shown?.config.rise ?? '',
    shown?.config.fall ?? '',
    shown?.health ?? '',
    server.address,
    config.cookie ?? '',
    counters.connects,
    counters.reuses,
    size,
    size - reused,
    reused,
    sessions.size,
    weight,
  ]
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
function statusText({ admin, inherited, oper, config: { track }, reference: { check } }: Server): string {
  if (inherited === 'maint') return `MAINT (via ${track})`
  if (admin === 'maint') return 'MAINT'
  if (check === undefined && oper === 'running') return admin === 'drain' ? 'DRAIN' : 'no check'
  const { health, fullHealth, config } = check ?? { health: 0, fullHealth: 0, config: { rise: 0, fall: 0 } }
  if (oper === 'stopped') return health > 0 ? `DOWN ${health}/${config.rise}` : 'DOWN'
  const left = health < fullHealth ? ` ${health - config.rise + 1}/${config.fall}` : ''
  const word = oper === 'stopping' ? 'NOLB' : admin === 'drain' ? 'DRAIN' : 'UP'
  return `${word}${left}`
}
