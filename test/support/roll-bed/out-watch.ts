import { setTimeout as pause } from 'node:timers/promises'
import type { RollBed } from './roll-bed.ts'

const LOOK_EVERY_MS = 100

/** How many nodes were out at once, for how long. */
interface OutTimes {
  readonly most: number
  /** Nodes that were out together when there were the most. */
  readonly together: readonly string[]
  readonly twoForMs: number
}

/**
 * Looks from now on which nodes are out by what HAProxy and the API server say: no server of it takes traffic, or it is not
 * Ready, or cordoned. The count shares nothing with the node budget that it judges.
 */
export class OutWatch {
  readonly #bed: RollBed
  readonly #over = new AbortController()
  readonly #watching: Promise<void>
  #most: readonly string[] = []
  #twoForMs = 0

  constructor(bed: RollBed) {
    this.#bed = bed
    this.#watching = this.#watch()
    this.#watching.catch(() => undefined)
  }

  async stop(): Promise<OutTimes> {
    this.#over.abort()
    await this.#watching
    return { most: this.#most.length, together: this.#most, twoForMs: Math.round(this.#twoForMs) }
  }

  async #watch(): Promise<void> {
    let before = performance.now()
    while (!this.#over.signal.aborted) {
      const [detached, out] = await this.#look()
      const now = performance.now()
      if (detached.length === 2) this.#twoForMs += now - before
      if (out.length > this.#most.length) this.#most = out
      before = now
      await pause(LOOK_EVERY_MS)
    }
  }

  /** Which nodes HAProxy sends nothing to, and these with those that the API server says are out. */
  async #look(): Promise<readonly [readonly string[], readonly string[]]> {
    const detached = await servedNothing(this.#bed)
    const marked = (await this.#bed.nodeObjects())
      .filter(({ spec, status }) => spec.unschedulable === true || !isReady(status.conditions))
      .map(({ metadata }) => metadata.name)
    return [detached, [...new Set([...detached, ...marked])].toSorted()]
  }
}

type Conditions = readonly { readonly type: string; readonly status: string }[]

const isReady = (conditions: Conditions): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True')

/** Nodes none of whose servers HAProxy sends to. */
export async function servedNothing(bed: RollBed): Promise<readonly string[]> {
  const servers = await bed.servers()
  return bed.bed.nodes.filter((node) =>
    servers.filter(({ name }) => name.endsWith(`/${node}`)).every(({ up, state }) => !up || state !== 'ready'),
  )
}
