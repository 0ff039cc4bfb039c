import type { ServerReading } from '../../model/balancer.ts'
import type { Tables } from './parse-tables.ts'
import { hasStickTable, readingOf, readingsOf, type Told } from './server-reading.ts'

interface Place {
  /** Of its row in the tables. */
  readonly at: number
  readonly stickTable: boolean
}

interface Last extends Pick<Told, 'stickTables'> {
  readonly tables: Tables
  /** In the order of the readings. */
  readonly places: readonly Place[]
  readonly servers: readonly ServerReading[]
  /** Some row follows another: what it says is the other's, and is read anew each time. */
  readonly isTracking: boolean
}

/**
 * The servers of one instance, which is asked several times a second: where a row is the one of last time, so is its
 * reading, and the list where all of them are. It spares work and tells nothing that the tables do not say.
 */
export class ReadingMemo {
  #last: Last | undefined

  /** Of all these backends, in their order. Rejects as `readingsOf` does. */
  servers(told: Told, backends: readonly string[]): readonly ServerReading[] {
    return this.#again(told) ?? this.#anew(told, backends)
  }

  #anew(told: Told, backends: readonly string[]): readonly ServerReading[] {
    this.#last = undefined
    const { tables, stickTables } = told
    const servers = backends.flatMap((backend) => readingsOf(told, backend))
    const places = backends.flatMap((backend) => {
      const stickTable = hasStickTable(told, backend)
      return tables.rows.flatMap((row, at) => (row.state.backend === backend ? [{ at, stickTable }] : []))
    })
    this.#last = { tables, stickTables, places, servers, isTracking: isTracking(tables) }
    return servers
  }

  /** Tables that name the servers of last time, in one order, have their set of backends too. */
  #again(told: Told): readonly ServerReading[] | undefined {
    const last = this.#last
    const { tables, stickTables } = told
    if (last === undefined || last.tables.backends !== tables.backends || last.stickTables !== stickTables)
      return undefined
    const known = { ...last, isTracking: last.isTracking || isTracking(tables, last.tables) }
    const servers = patched(known, told)
    this.#last = { ...known, tables, servers }
    return servers
  }
}

/** Whether a row does that was not among those before. */
function isTracking({ rows }: Tables, before?: Tables): boolean {
  return rows.some((row, at) => row !== before?.rows[at] && row.stat.tracked !== '')
}

function patched({ tables: before, places, servers, isTracking }: Last, told: Told): readonly ServerReading[] {
  const { rows } = told.tables
  const next = [...servers]
  let isSame = true
  for (let i = 0; i < places.length; i += 1) {
    const place = places[i]
    const row = place === undefined ? undefined : rows[place.at]
    if (place === undefined || row === undefined) continue
    if (row === before.rows[place.at] && !(isTracking && row.stat.tracked !== '')) continue
    next[i] = readingOf(told, row, place)
    isSame = false
  }
  return isSame ? servers : next
}
