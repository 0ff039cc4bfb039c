import type { ServerStateRow } from './parse-servers-state.ts'
import type { StatRow } from './parse-stat.ts'
import { badReply, notPermitted } from './socket-error.ts'

/** One server in both tables of the same moment. */
export interface ServerRow {
  readonly key: string
  readonly state: ServerStateRow
  readonly stat: StatRow
}

interface JoinedRows {
  readonly rows: readonly ServerRow[]
  /** Those that have rows. */
  readonly backends: ReadonlySet<string>
  /** Backends that have servers and no statistics: those whose configuration says `disabled`. */
  readonly disabledBackends: ReadonlySet<string>
}

/** Joins by name; a server that only one table knows, or one that is there twice, voids the answer. */
function joinRows(states: readonly ServerStateRow[], stats: readonly StatRow[]): JoinedRows {
  const statOf = new Map(stats.map((stat) => [`${stat.backend}/${stat.server}`, stat]))
  if (statOf.size !== stats.length) throw badReply('a server is there twice in "show stat"')
  const counted = new Set(stats.map((stat) => stat.backend))
  const disabledBackends = new Set(states.map((state) => state.backend).filter((backend) => !counted.has(backend)))
  const rows = states
    .filter((state) => !disabledBackends.has(state.backend))
    .map((state) => {
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
  // Below level `operator` the address is kept back, and the cookie with it: "no cookie" would be a guess.
  if (state.address !== '' && stat.address === '') {
    throw notPermitted('the socket is of level "user" and keeps cookies and addresses to itself')
  }
  return { key, state, stat }
}

/** Joins tables that are read again and again, of which little changes from one time to the next. */
export class RowJoin {
  #states: readonly ServerStateRow[] = []
  #stats: readonly StatRow[] = []
  #joined: JoinedRows | undefined

  /** As `joinRows`. What reads as it did last time is the row that it was, and the list where all of it does. */
  join(states: readonly ServerStateRow[], stats: readonly StatRow[]): JoinedRows {
    if (this.#joined !== undefined && states === this.#states && stats === this.#stats) return this.#joined
    const next = this.#again(states, stats) ?? joinRows(states, stats)
    this.#states = states
    this.#stats = stats
    this.#joined = next
    return next
  }

  /** Where both tables name the servers that they named last time, in one order, they still belong together. */
  #again(states: readonly ServerStateRow[], stats: readonly StatRow[]): JoinedRows | undefined {
    const last = this.#joined
    if (last === undefined || states.length !== last.rows.length || stats.length !== last.rows.length) return undefined
    const rows = [...last.rows]
    for (let at = 0; at < rows.length; at += 1) {
      const [row, state, stat] = [last.rows[at], states[at], stats[at]]
      if (state === row?.state && stat === row?.stat) continue
      if (row === undefined || state === undefined || stat === undefined) return undefined
      if (!isNamed(state, row) || !isNamed(stat, row)) return undefined
      rows[at] = joined(row.key, state, stat)
    }
    return { ...last, rows }
  }
}

type Named = Pick<ServerStateRow, 'backend' | 'server'>

const isNamed = ({ backend, server }: Named, { state }: ServerRow): boolean =>
  backend === state.backend && server === state.server
