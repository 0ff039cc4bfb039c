import { setTimeout as pause } from 'node:timers/promises'
import type { Bed } from '../../../testbed/bed.ts'

/** A boot takes seconds, so none is missed in between. */
const LOOK_EVERY_MS = 300

/** Watches each node's boot id from now on; `stop` says how often each one booted. */
export class BootCounter {
  readonly #bed: Bed
  readonly #seen: ReadonlyMap<string, Set<string>>
  readonly #over = new AbortController()
  readonly #watching: Promise<void>

  constructor(bed: Bed) {
    this.#bed = bed
    this.#seen = new Map(bed.nodes.map((node) => [node, new Set<string>()]))
    this.#watching = this.#watch()
  }

  async stop(): Promise<Readonly<Record<string, number>>> {
    this.#over.abort()
    await this.#watching
    await this.#look()
    return Object.fromEntries([...this.#seen].map(([node, ids]) => [node, ids.size - 1]))
  }

  async #watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#look()
      await pause(LOOK_EVERY_MS)
    }
  }

  async #look(): Promise<void> {
    for (const [node, ids] of this.#seen) ids.add(await this.#bed.bootId(node))
  }
}
