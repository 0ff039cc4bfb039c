import type { Backend } from './backend.ts'
import type { BalancerState } from './balancer-state.ts'
import { type AdminState, OPER_STATES, type OperState, type Server } from './server.ts'
import type { CheckStatus } from './server-check.ts'
import { ServerRows } from './server-rows.ts'

/** The columns of 2.4 to 2.9 (management.txt 9.3, `show servers state`). */
const COLUMNS =
  'be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight ' +
  'srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state ' +
  'bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr ' +
  'srv_agent_addr srv_agent_port'

const ADMIN_BITS = { ready: 0, maint: 0x01, drain: 0x08 } as const
/** Of the server that it tracks. */
const INHERITED_BITS = { ready: 0, maint: 0x02, drain: 0x10 } as const
const CONFIGURED_AND_ENABLED = 0x06
const PAUSED = 0x08
const RUNNING = 0x01
/** `rise`, as it is where nothing is said. */
const UNCHECKED_HEALTH = 2

/** `HCHK_STATUS_*`. */
const STATUS_NUMBERS: Readonly<Record<CheckStatus, number>> = {
  INI: 1,
  L4TOUT: 7,
  L4CON: 8,
  L7TOUT: 12,
  L7RSP: 13,
  L7OK: 15,
  L7STS: 17,
}

/** The table as pieces of text. */
export const showServersState = (state: BalancerState): readonly string[] => ROWS.of(state)

const HEADER = `1\n# ${COLUMNS}\n`

/** All of a server that changes, but for the seconds. */
interface Read {
  readonly oper: OperState
  readonly own: AdminState
  readonly inherited: AdminState
  readonly status: CheckStatus
  readonly result: number
  readonly health: number
  readonly bits: number
}

interface Written extends Read {
  /** Up to the seconds since its last change, and from behind them. */
  readonly head: string
  readonly tail: string
}

const ROWS = new ServerRows<Written>(HEADER, {
  partsOf: (backend, server, last) => {
    const read = readOf(server)
    return last !== undefined && isSame(last, read) ? last : written(backend, server, read)
  },
  textOf: ({ head, tail }, server) => [head, server.sinceChangeS, tail].join(' '),
})

function written(backend: Backend, { id, config, weight, check }: Server, read: Read): Written {
  const [oper, admin] = [OPER_STATES[read.oper], ADMIN_BITS[read.own] | INHERITED_BITS[read.inherited]]
  const head = [backend.id, backend.name, id, config.name, config.address, oper, admin, weight, weight]
  // No agent, no forced ids, no name to resolve.
  const rest = [0, 0, 0, '-', config.port, '-', 0, check?.config.port ?? 0, '-', '-', 0]
  const tail = [STATUS_NUMBERS[read.status], read.result, read.health, read.bits, ...rest]
  return { ...read, head: head.join(' '), tail: `${tail.join(' ')}\n` }
}

const isSame = (known: Read, read: Read): boolean =>
  known.oper === read.oper &&
  known.own === read.own &&
  known.inherited === read.inherited &&
  known.status === read.status &&
  known.result === read.result &&
  known.health === read.health &&
  known.bits === read.bits

function readOf({ oper, own, inherited, check }: Server): Read {
  const state = { oper, own, inherited }
  if (check === undefined) return { ...state, status: 'INI', result: 0, health: UNCHECKED_HEALTH, bits: 0 }
  const { last, isRunning, isPaused, health } = check
  const result = isRunning || last === undefined ? 0 : last.status === 'L7OK' ? 3 : 2
  const bits = CONFIGURED_AND_ENABLED | (isPaused ? PAUSED : 0) | (isRunning ? RUNNING : 0)
  return { ...state, status: last?.status ?? 'INI', result, health, bits }
}
