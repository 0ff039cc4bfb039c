import { setTimeout as sleep } from 'node:timers/promises'
import type { Bed } from '../../../testbed/bed.ts'
import { askSocket } from '../roll-bed/ask-socket.ts'

export const REQUEST = 'node-detacher.variant.run/detached'
export const STAMP = 'node-detacher.variant.run/detachment-timestamp'

const LOOK_EVERY_MS = 300

interface SeenNode {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
}

/**
 * A detacher of another project: it moves the servers of a HAProxy when Nodes ask for it, and says so by timestamps. The HAProxy does
 * not ask the agents, so nothing else takes a node out.
 */
export class SocketDetacher {
  /** How often it took a node out. */
  detached = 0
  readonly #bed: Bed
  readonly #socket: string
  readonly #over = new AbortController()
  readonly #work: Promise<void>

  constructor(bed: Bed, socket: string) {
    this.#bed = bed
    this.#socket = socket
    this.#work = this.#run()
  }

  /** Rejects with what went wrong. */
  async end(): Promise<void> {
    this.#over.abort()
    await this.#work
  }

  async #run(): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      const { items } = JSON.parse(await this.#bed.kubectl(['get', 'nodes', '-o', 'json'])) as { items: SeenNode[] }
      for (const node of items) await this.#answer(node)
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  async #answer({ metadata: { name, annotations = {} } }: SeenNode): Promise<void> {
    const isAsked = annotations[REQUEST] !== undefined
    const isOut = annotations[STAMP] !== undefined
    if (isAsked === isOut) return
    const refusal = await askSocket(this.#socket, `set server back-0/${name} state ${isAsked ? 'drain' : 'ready'}`)
    if (refusal.trim() !== '') throw new Error(refusal)
    const mark = isAsked ? `${STAMP}=${new Date().toISOString()}` : `${STAMP}-`
    await this.#bed.kubectl(['annotate', 'node', name, mark])
    if (isAsked) this.detached += 1
  }
}
