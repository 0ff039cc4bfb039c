import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import type { AdminState, ServerReading } from '../../../model/balancer.ts'
import { adminStates } from './admin-bits.ts'
import { findRow, type Tables } from './parse-tables.ts'
import type { ServerRow } from './server-row.ts'

type CheckReading = Pick<ServerReading, 'check' | 'checkText' | 'lastCheckFailed' | 'uncheckedYet'>

const CHECK_ENABLED = 0x04
const CHECK_PAUSED = 0x08
/** L7OKC is missing on purpose: it is the 404 by which a server asks for no more sessions. */
const PASSED: ReadonlySet<string> = new Set(['L4OK', 'L6OK', 'L7OK', 'PROCOK'])
/** HAProxy has ended no check of the server since its start. */
const NONE_ENDED: ReadonlySet<string> = new Set(['', 'INI', 'UNK'])
/** `srv_op_state`. */
const STOPPED = 0
const NO_CHECK: CheckReading = { check: 'none', checkText: 'no check' }

/**
 * The check of a server, or of the server that it tracks. `passing` takes a last result that passed *and* full health: HAProxy
 * calls a server up before its first check, on `rise` alone, and keeps the old result while checks are paused.
 */
export function checkReading(row: ServerRow, tables: Pick<Tables, 'rows'>): CheckReading {
  const path: string[] = []
  let checked = row
  while (checked.stat.tracked !== '' && path.length < tables.rows.length) {
    const next = findRow(tables, checked.stat.tracked)
    if (next === undefined) return { check: 'failing', checkText: `follows ${escapeForeign(checked.stat.tracked, 80)}` }
    path.push(next.key)
    checked = next
  }
  const own = ownCheck(checked)
  return path.length === 0 ? own : { ...own, checkText: `${own.checkText} (${path.join(', ')})` }
}

function ownCheck({ state, stat }: ServerRow): CheckReading {
  if ((state.checkBits & CHECK_ENABLED) === 0) return NO_CHECK
  if ((state.checkBits & CHECK_PAUSED) !== 0) return { check: 'failing', checkText: 'checks are paused' }
  const status = bareStatus(stat)
  const fullHealth = stat.rise + stat.fall - 1
  const passing = PASSED.has(status) && stat.rise > 0 && state.checkHealth >= fullHealth
  // While the next check runs, HAProxy has already set the code of the last one to 0.
  const hasCode = stat.checkCode !== '' && stat.checkCode !== '0'
  return {
    check: passing ? 'passing' : 'failing',
    ...ended(status),
    checkText: escapeForeign(hasCode ? `${status}/${stat.checkCode}` : status, 80),
  }
}

/** The status without the mark of a running check. */
export const bareStatus = ({ checkStatus }: Pick<ServerRow['stat'], 'checkStatus'>): string =>
  checkStatus.replace(/^\* /, '')

function ended(status: string): Pick<ServerReading, 'lastCheckFailed' | 'uncheckedYet'> {
  if (NONE_ENDED.has(status)) return { uncheckedYet: true }
  return PASSED.has(status) ? {} : { lastCheckFailed: true }
}

/** A server in maint by command, with a check of its own: out of maint it would count as up until that check fails. */
export function leavesMaintUnproven({ state, stat }: ServerRow): boolean {
  const hasOwnCheck = stat.tracked === '' && (state.checkBits & CHECK_ENABLED) !== 0
  return hasOwnCheck && adminStates(state.adminBits).ownState === 'maint'
}

/**
 * HAProxy closes the pooled connections of a server as it goes from up to maint. It closes none of one that is down or in maint already, and
 * such a server is up for as long as it takes from maint to the next command (measured on 2.6).
 */
export function statesBeforeMaint({ state, stat }: ServerRow): readonly AdminState[] {
  if (stat.idleConnections === 0) return []
  if (adminStates(state.adminBits).ownState === 'maint') return ['drain']
  return state.operState === STOPPED ? ['maint', 'drain'] : []
}
