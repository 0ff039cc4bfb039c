import { changedPlaces } from '../../ground/model/changed-places.ts'
import type { ServerReading } from '../model/balancer.ts'

interface ServerIndexParts<T> {
  readonly make: (servers: readonly ServerReading[]) => T
  /** Whether the index of a list stays the same where one of these two stands in the other's place. */
  readonly isAlike: (was: ServerReading, is: ServerReading) => boolean
}

/**
 * What is looked up in lists of servers. A list never changes, and each pass looks up every node: so a list is indexed once, and the index
 * is taken over to the next list while its servers are alike. `of` gives what `make` gives for the list, always.
 */
export class ServerIndex<T> {
  readonly #parts: ServerIndexParts<T>
  readonly #made = new WeakMap<readonly ServerReading[], T>()

  constructor(parts: ServerIndexParts<T>) {
    this.#parts = parts
  }

  of(servers: readonly ServerReading[]): T {
    const known = this.#made.get(servers)
    if (known !== undefined) return known
    const made = this.#parts.make(servers)
    this.#made.set(servers, made)
    return made
  }

  /** Takes the index of the last reading over to the next one where the two are alike, which is nearly always so. */
  keep(before: readonly ServerReading[], now: readonly ServerReading[]): void {
    const known = this.#made.get(before)
    if (known === undefined || before === now || before.length !== now.length) return
    const isAlike = (at: number): boolean => {
      const [was, is] = [before[at], now[at]]
      return was !== undefined && is !== undefined && this.#parts.isAlike(was, is)
    }
    if (changedPlaces(before, now).every(isAlike)) this.#made.set(now, known)
  }
}
