import type { ServerStateRow } from './parse-servers-state.ts'
import type { StatRow } from './parse-stat.ts'
import { badReply, notPermitted } from './socket-error.ts'

/** One server in both tables, which are of the same moment. */
export interface ServerRow {
  readonly key: string
  readonly state: ServerStateRow
  readonly stat: StatRow
}

export interface JoinedRows {
  readonly rows: readonly ServerRow[]
  /** Backends that have rows. */
  readonly backends: ReadonlySet<string>
  /** Backends that have servers and no statistics: those whose configuration says `disabled`. */
  readonly disabledBackends: ReadonlySet<string>
}

/**
 * Joins the tables by name. A server that is in only one table, or twice in one, voids the answer. A row whose two halves are the same
 * objects as in `before` is the same object.
 */
export function joinRows(
  states: readonly ServerStateRow[],
  stats: readonly StatRow[],
  before: JoinedRows = NOTHING,
): JoinedRows {
  return joinedInPlace(states, stats, before) ?? joinedByName(states, stats, before.rows)
}

const NOTHING: JoinedRows = { rows: [], backends: new Set(), disabledBackends: new Set() }

/** Where both tables list the same servers in the same order as before, as nearly always: no name is looked up. */
function joinedInPlace(
  states: readonly ServerStateRow[],
  stats: readonly StatRow[],
  before: JoinedRows,
): JoinedRows | undefined {
  const { length } = before.rows
  if (before.disabledBackends.size > 0 || states.length !== length || stats.length !== length) return undefined
  const rows: ServerRow[] = []
  for (const row of before.rows) {
    const state = states[rows.length]
    const stat = stats[rows.length]
    if (state === row.state && stat === row.stat) rows.push(row)
    else if (isNamed(state, row) && isNamed(stat, row)) rows.push(joined(row.key, state, stat))
    else return undefined
  }
  return { ...before, rows }
}

const isNamed = <Named extends Pick<ServerStateRow, 'backend' | 'server'>>(
  named: Named | undefined,
  { state }: ServerRow,
): named is Named => named?.backend === state.backend && named.server === state.server

function joinedByName(
  states: readonly ServerStateRow[],
  stats: readonly StatRow[],
  before: readonly ServerRow[],
): JoinedRows {
  const statOf = new Map(stats.map((stat) => [`${stat.backend}/${stat.server}`, stat]))
  if (statOf.size !== stats.length) throw badReply('a server is there twice in "show stat"')
  const counted = new Set(stats.map((stat) => stat.backend))
  const disabledBackends = new Set(states.map((state) => state.backend).filter((backend) => !counted.has(backend)))
  const rows = states
    .filter((state) => !disabledBackends.has(state.backend))
    .map((state, at) => {
      const known = before[at]
      if (known?.state === state && known.stat === statOf.get(known.key)) return known
      const key = `${state.backend}/${state.server}`
      const stat = statOf.get(key)
      if (stat === undefined) throw badReply(`${key} has a state and no statistics`)
      return joined(key, state, stat)
    })
  if (new Set(rows.map((row) => row.key)).size !== rows.length) throw badReply('a server is there twice')
  if (rows.length !== stats.length) throw badReply('a server has statistics and no state')
  return { rows, backends: new Set(rows.map(({ state }) => state.backend)), disabledBackends }
}

function joined(key: string, state: ServerStateRow, stat: StatRow): ServerRow {
  // Below level `operator` HAProxy hides the address and the cookie: "no cookie" would be a guess.
  if (state.address !== '' && stat.address === '') {
    throw notPermitted('the socket is of level "user" and keeps cookies and addresses to itself')
  }
  return { key, state, stat }
}
