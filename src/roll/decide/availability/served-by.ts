/** The header is foreign: a server that answers with another name each time must not fill the memory. */
const MOST_NAMES = 1_000
const LONGEST_NAME = 100
const REST = '(others)'

/** How often each server answered. */
export class ServedBy {
  readonly #counts = new Map<string, number>()

  record(name: string): void {
    const known = name.slice(0, LONGEST_NAME)
    const key = this.#counts.has(known) || this.#counts.size < MOST_NAMES ? known : REST
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** By name, in the order of the names. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(byName))
  }
}

const byName = ([a]: readonly [string, number], [b]: readonly [string, number]): number => (a < b ? -1 : 1)
