import type { Node } from '../../../ground/model/node.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Cluster } from '../../../ground/ports/cluster.ts'

interface KnownNodesParts {
  readonly cluster: Pick<Cluster, 'list'>
  readonly clock: Clock
}

/** Nodes come and go seldom. */
const NODES_EVERY_MS = 30_000

/** The nodes that have an address, for those who poll them. */
export class KnownNodes {
  readonly #parts: KnownNodesParts
  #nodes: { readonly at: MonoMs; readonly list: readonly Node[] } | undefined
  #listing: Promise<readonly Node[]> | undefined
  #bug: { readonly error: unknown } | undefined

  constructor(parts: KnownNodesParts) {
    this.#parts = parts
  }

  /**
   * The nodes that are known. A list is made beside the polls, not in one, since it may take longer than a poll may, and an API
   * server that hangs must not delay other readings. Rejects as the first list does.
   */
  now(): Promise<readonly Node[]> | readonly Node[] {
    if (this.#bug !== undefined) throw this.#bug.error
    const known = this.#nodes
    if (known !== undefined && this.#parts.clock.monoMs() - known.at < NODES_EVERY_MS) return known.list
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined
    })
    if (known === undefined) return this.#listing
    this.#listing.catch((error: unknown) => {
      // The next call makes another list; an error that is no WorldError is thrown by the next call.
      if (!(error instanceof WorldError)) this.#bug = { error }
    })
    this.#nodes = { ...known, at: this.#parts.clock.monoMs() }
    return known.list
  }

  /** Ends by the limit of a request to the API server, at the latest with the process. */
  async #list(): Promise<readonly Node[]> {
    const { cluster, clock } = this.#parts
    const nodes = await cluster.list('nodes', new AbortController().signal)
    const list = nodes.filter(({ internalAddresses }) => internalAddresses.length > 0)
    this.#nodes = { at: clock.monoMs(), list }
    return list
  }
}
