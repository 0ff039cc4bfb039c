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
    this.#last = { tables, stickTables, places, servers }
    return servers
  }

  /** Tables that name the servers of last time, in one order, have their set of backends too. */
  #again(told: Told): readonly ServerReading[] | undefined {
    const last = this.#last
    const { tables, stickTables } = told
    if (last === undefined || last.tables.backends !== tables.backends || last.stickTables !== stickTables)
      return undefined
    const servers = patched(last, told)
    this.#last = { ...last, tables, servers }
    return servers
  }
}

/** What a row says that follows another is read anew. */
function patched({ tables: before, places, servers }: Last, told: Told): readonly ServerReading[] {
  let next: ServerReading[] | undefined
  for (let i = 0; i < places.length; i += 1) {
    const place = places[i]
    const row = place === undefined ? undefined : told.tables.rows[place.at]
    if (place === undefined || row === undefined) continue
    if (row === before.rows[place.at] && row.stat.tracked === '') continue
    next ??= [...servers]
    next[i] = readingOf(told, row, place)
  }
  return next ?? servers
}
