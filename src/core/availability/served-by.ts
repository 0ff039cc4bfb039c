/** The header is foreign: an answer with a name of its own each time must not fill the memory. */
const MOST_NAMES = 1_000
const LONGEST_NAME = 100
const REST = '(others)'

/** Who answered how often. */
export class ServedBy {
  readonly #counts = new Map<string, number>()
  #told: Readonly<Record<string, number>> | undefined

  record(name: string): void {
    const known = name.slice(0, LONGEST_NAME)
    const key = this.#counts.has(known) || this.#counts.size < MOST_NAMES ? known : REST
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    this.#told = undefined
  }

  counts(): Readonly<Record<string, number>> {
    this.#told ??= Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    return this.#told
  }
}
