import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { DnsRelay, DnsRelays, OpenRelays } from '../ports/dns-relays.ts'

interface OpenPool extends OpenRelays {
  readonly nodes: readonly string[]
  readonly openedAtMs: number
}

/** Relays end by themselves where this is not enough. */
const CLOSED_WITHIN_MS = 5_000
/** A relay that could not be made is tried again no sooner: its image may be pulled each time. */
const TRIED_AGAIN_AFTER_MS = 60_000

/** Relays that serve one check after another. They are made for the first check, and again where one of them was lost. */
export class RelayPool {
  readonly #relays: readonly DnsRelays[]
  readonly #clock: Clock
  #pool: OpenPool | undefined

  constructor(relays: readonly DnsRelays[], clock: Clock) {
    this.#relays = relays
    this.#clock = clock
  }

  /** Those on these nodes. `notes`: why others could not be made. `isNew`: they were made now. Rejects by abort alone. */
  async on(
    nodes: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly relays: readonly DnsRelay[]; readonly notes: readonly string[]; readonly isNew: boolean }> {
    const left = this.#fits(nodes) ? [] : await this.close()
    const isNew = this.#pool === undefined && this.#relays.length > 0
    this.#pool ??= { ...(await allOpen(this.#relays, nodes, signal)), nodes, openedAtMs: this.#clock.monoMs() }
    const { relays, notes } = this.#pool
    return { relays, notes: [...left, ...notes], isNew }
  }

  /** Takes all of them away. Resolves with what could not be taken away, a sentence each; never rejects by a deadline. */
  async close(): Promise<readonly string[]> {
    const pool = this.#pool
    this.#pool = undefined
    if (pool === undefined) return []
    const limit = {
      clock: this.#clock,
      limitMs: CLOSED_WITHIN_MS,
      signal: new AbortController().signal,
      what: 'the API server',
    }
    try {
      return await withDeadline(limit, (limited) => pool.close(limited))
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error
      return [`relays were not deleted (${error.message}): they end by themselves within a minute`]
    }
  }

  #fits(nodes: readonly string[]): boolean {
    const pool = this.#pool
    if (pool === undefined) return true
    const isWanted = nodes.length === pool.nodes.length && nodes.every((node) => pool.nodes.includes(node))
    const isDue = this.#clock.monoMs() - pool.openedAtMs >= TRIED_AGAIN_AFTER_MS
    return isWanted && pool.relays.every((relay) => relay.isOpen()) && !(pool.isLacking && isDue)
  }
}

async function allOpen(
  relays: readonly DnsRelays[],
  nodes: readonly string[],
  signal: AbortSignal,
): Promise<OpenRelays> {
  const open: OpenRelays[] = []
  const close: OpenRelays['close'] = async (closing) =>
    (await Promise.all(open.map((one) => one.close(closing)))).flat()
  try {
    for (const one of relays) open.push(await one.open(nodes, signal))
  } catch (error) {
    await close(new AbortController().signal)
    throw error
  }
  return {
    relays: open.flatMap((one) => one.relays),
    notes: open.flatMap(({ notes }) => notes),
    isLacking: open.some(({ isLacking }) => isLacking),
    close,
  }
}
