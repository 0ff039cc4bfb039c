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
  'bin,bout,dresp,wredis,rate,rate_max,hrsp_1xx,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx,hrsp_other,cli_abrt,' +
  'srv_abrt,qtime,ctime,rtime,ttime,wrew,qtime_max,ctime_max,rtime_max,ttime_max,eint,need_conn_est,ssl_sess,' +
  'ssl_reused_sess,ssl_failed_handshake'
).split(',')

/** Of every server; bytes, rates and times are not counted. */
const FIXED: ReadonlyMap<string, string | number> = new Map<string, string | number>([
  ...ZEROS.map((name) => [name, 0] as const),
  ...Object.entries({ pid: 1, type: 2, lastsess: -1, mode: 'http', '-': '-' }),
])

/** What differs from server to server, in the order of the columns; but for `lastchg` and `downtime`, which never rest. */
const SHOWN = (
  'pxname,svname,qcur,qmax,scur,smax,slim,stot,econ,eresp,wretr,status,weight,act,bck,chkfail,chkdown,iid,sid,throttle,' +
  'lbtot,tracked,check_status,check_code,check_duration,agent_status,agent_code,agent_duration,check_desc,agent_desc,' +
  'check_rise,check_fall,check_health,agent_rise,agent_fall,agent_health,addr,cookie,connect,reuse,srv_icur,' +
  'idle_conn_cur,safe_conn_cur,used_conn_cur,uweight'
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

const HEADER = `# ${COLUMNS.join(',')},\n`
const SERVERS = '4'

/**
 * `show stat [PROXY TYPE SERVER]` for servers, as pieces of text; frontends and backends as a whole have no row. A roll reads
 * it more often than anything else, so that texts which are kept are joined: what is put together by `+` is put together anew
 * whenever it is read.
 */
export function showStat({ backends }: BalancerState, words: readonly string[]): string | readonly string[] {
  const [proxy = ALL, type = SERVERS, serverId = ALL] = words.length < 3 ? [] : words
  if (type !== SERVERS && type !== ALL) return [HEADER]
  const named = backends.filter(({ id, name }) => String(id) === proxy || name === proxy)
  if (proxy !== ALL && named.length === 0 && !/^\d+$/.test(proxy)) return 'No such proxy.\n'
  const shown = proxy === ALL ? backends : named
  if (serverId === ALL) return ROWS.of(shown)
  return [HEADER, ...shown.flatMap((backend) => oneRow(backend, Number(serverId)))]
}

const ALL = '-1'

function oneRow(backend: Backend, serverId: number): readonly string[] {
  const server = backend.servers.find(({ id }) => id === serverId)
  return server === undefined ? [] : [WRITING.textOf(WRITING.partsOf(backend, server, undefined), server)]
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
    const downS = server.check?.isEnabled === true ? server.downS : ''
    return [head, server.times.sinceChangeS, ',', downS, ',', tail, '\n'].join('')
  },
}

const ROWS = new ServerRows<Written>(HEADER, WRITING)

function isSame(known: Cells, cells: Cells): boolean {
  for (let at = 0; at < cells.length; at += 1) if (known[at] !== cells[at]) return false
  return true
}

/** As `SHOWN` names them. Of a check all but the first two are empty while it is paused, as in maint. */
function cellsOf(backend: Backend, server: Server): Cells {
  const { config, idle, weight, check, load, agent } = server
  const { counters, sessions, queue, maxConnections } = load
  const { reused, size } = idle
  const isBackup = config.isBackup === true ? 1 : 0
  return [
    ...[backend.name, config.name, queue.size, queue.most, sessions.size, counters.mostSessions],
    maxConnections === 0 ? '' : maxConnections,
    ...[counters.sessions, counters.connectErrors, counters.responseErrors, counters.retries],
    ...[statusText(server), weight.shown, 1 - isBackup, isBackup],
    ...(check?.isEnabled === true ? [check.failures, counters.timesDown] : ['', '']),
    ...[backend.id, server.id],
    server.oper === 'starting' && server.admin === 'ready' && weight.set > 0 ? weight.throttle : '',
    ...[counters.balanced, config.track ?? ''],
    ...outcomeCells(check?.rests === false ? check : undefined),
    ...outcomeCells(agent?.rests === false ? agent : undefined),
    check?.rests === false ? DESCRIPTIONS[check.last?.status ?? 'INI'] : '',
    agent?.rests === false ? DESCRIPTIONS[agent.last?.status ?? 'INI'] : '',
    ...(check?.rests === false ? [check.config.rise, check.config.fall, check.health] : ['', '', '']),
    ...(agent?.rests === false ? [1, 1, agent.health] : ['', '', '']),
    ...[server.address, config.cookie ?? '', counters.connects, counters.reuses],
    ...[size, size - reused, reused, sessions.size, weight.set],
  ]
}

/** How the last check ended: its status, code and duration. */
function outcomeCells(check: Pick<ServerCheck, 'last' | 'isRunning'> | undefined): Cells {
  if (check === undefined) return ['', '', '']
  const status = check.last?.status ?? 'INI'
  const durationMs = check.last === undefined ? '' : Math.round(check.last.durationMs)
  return [check.isRunning ? `* ${status}` : status, codeText(check), durationMs]
}

/** While the next check runs, the code of the last one is 0 already. */
const codeText = ({ last, isRunning }: Pick<ServerCheck, 'last' | 'isRunning'>): string | number =>
  last === undefined || !CODED.includes(last.status) ? '' : isRunning ? 0 : last.code

const CODED: readonly CheckStatus[] = ['L7OK', 'L7STS']

const DESCRIPTIONS: Readonly<Record<CheckStatus, string>> = {
  INI: 'Initializing',
  CHECKED: 'No status change',
  L4TOUT: 'Layer4 timeout',
  L4CON: 'Layer4 connection problem',
  L7TOUT: 'Layer7 timeout',
  L7RSP: 'Layer7 invalid response',
  L7OK: 'Layer7 check passed',
  L7STS: 'Layer7 wrong status',
}

/** `UP 2/3`: so many failures are left; `DOWN 1/2`: so many passes came (`stats_fill_sv_stats_computestate`). */
function statusText(server: Server): string {
  const { admin, inherited, oper, config, reference } = server
  if (inherited === 'maint') return `MAINT (via ${config.track})`
  if (admin === 'maint') return 'MAINT'
  const check = reference.check?.isEnabled === true ? reference.check : undefined
  const agent = reference.agent?.isEnabled === true ? reference.agent : undefined
  if (oper === 'stopped') {
    if (agent?.health === 0) return 'DOWN (agent)'
    return isRising(reference, { check, agent }) ? `DOWN ${reference.health}/${check?.config.rise ?? 2}` : 'DOWN'
  }
  const isFalling = check !== undefined && check.health < check.fullHealth
  const left = isFalling ? ` ${check.health - check.config.rise + 1}/${check.config.fall}` : ''
  if (oper === 'stopping')
    return `NOLB${config.track === undefined || check !== undefined ? left : uncheckedLeft(reference)}`
  if (admin === 'drain') return agent === undefined ? `DRAIN${left}` : 'DRAIN (agent)'
  return check === undefined ? 'no check' : `UP${left}`
}

/** HAProxy tells of a health that no check has, with `rise 2` and `fall 3`, where a server tracks one that is stopping. */
const uncheckedLeft = ({ health }: Server): string => (health < 4 ? ` ${health - 1}/3` : '')

/** Something of it that is asked is not down any more. */
const isRising = ({ health }: Server, of: { readonly check: unknown; readonly agent: unknown }): boolean =>
  of.check === undefined ? of.agent !== undefined : health > 0
