import type { Backend } from './backend.ts'
import type { BalancerState } from './balancer-state.ts'
import type { Server } from './server.ts'
import type { CheckStatus } from './server-check.ts'
import { ServerRows } from './server-rows.ts'
import { type AdminState, OPER_STATES, type OperState } from './server-states.ts'

/** The columns of 2.4 to 2.9 (management.txt 9.3, `show servers state`). */
const COLUMNS =
  'be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight ' +
  'srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state ' +
  'bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr ' +
  'srv_agent_addr srv_agent_port'

const ADMIN_BITS = { ready: 0, maint: 0x01, drain: 0x08 } as const
/** Of the server that it tracks. */
const INHERITED_BITS = { ready: 0, maint: 0x02, drain: 0x10 } as const
/** `disabled` in the file, whatever was set since. */
const CONFIGURED_MAINT = 0x04
const CONFIGURED = 0x02
const ENABLED = 0x04
const AGENT = 0x10
const PAUSED = 0x08
const RUNNING = 0x01

/** `HCHK_STATUS_*`. */
const STATUS_NUMBERS: Readonly<Record<CheckStatus, number>> = {
  INI: 1,
  CHECKED: 3,
  L4TOUT: 7,
  L4CON: 8,
  L7TOUT: 12,
  L7RSP: 13,
  L7OK: 15,
  L7STS: 17,
}

export const NO_BACKEND = "Can't find backend.\n"

/** `show servers state [BACKEND]`: the table as pieces of text. */
export function showServersState({ backends }: BalancerState, [name]: readonly string[]): string | readonly string[] {
  const shown = name === undefined ? backends : backends.filter((backend) => backend.name === name)
  return shown.length === 0 && name !== undefined ? NO_BACKEND : ROWS.of(shown)
}

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
  readonly agentBits: number
  readonly weight: number
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
  textOf: ({ head, tail }, server) => [head, server.times.sinceChangeS, tail].join(' '),
})

function written(backend: Backend, { id, config, weight, check, agent }: Server, read: Read): Written {
  const ofFile = config.isDisabled === true ? CONFIGURED_MAINT : 0
  const [oper, admin] = [OPER_STATES[read.oper], ofFile | ADMIN_BITS[read.own] | INHERITED_BITS[read.inherited]]
  const head = [backend.id, backend.name, id, config.name, config.address, oper, admin, read.weight, weight.initial]
  // No forced ids, no name to resolve.
  const rest = [0, 0, '-', config.port, '-', 0, check?.config.port ?? 0, '-', '-', agent?.config.port ?? 0]
  const tail = [STATUS_NUMBERS[read.status], read.result, read.health, read.bits, read.agentBits, ...rest]
  return { ...read, head: head.join(' '), tail: `${tail.join(' ')}\n` }
}

const isSame = (known: Read, read: Read): boolean =>
  known.oper === read.oper &&
  known.own === read.own &&
  known.inherited === read.inherited &&
  known.status === read.status &&
  known.result === read.result &&
  known.health === read.health &&
  known.bits === read.bits &&
  known.agentBits === read.agentBits &&
  known.weight === read.weight

function readOf({ oper, own, inherited, check, agent, health, weight, config }: Server): Read {
  const agentBits = agent === undefined ? 0 : AGENT | bitsOf(agent)
  const state = { oper, own, inherited, health, agentBits, weight: weight.set }
  if (check === undefined) return { ...state, status: 'INI', result: 0, bits: config.isDisabled === true ? PAUSED : 0 }
  const { last, isRunning, isPaused } = check
  const result = isRunning || last === undefined ? 0 : last.status === 'L7OK' ? 3 : 2
  return { ...state, status: last?.status ?? 'INI', result, bits: bitsOf(check) | (isPaused ? PAUSED : 0) }
}

const bitsOf = ({ isEnabled, isRunning }: { readonly isEnabled: boolean; readonly isRunning: boolean }): number =>
  CONFIGURED | (isEnabled ? ENABLED : 0) | (isRunning ? RUNNING : 0)
