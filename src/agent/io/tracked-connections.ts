import type { Clock } from '../../ground/ports/clock.ts'
import type { Tracked, TrackedTable } from '../ports/open-connections.ts'
import { NONE_TRACKED, type TrackedSeen, type TrackedWanted, withTracked } from './count-tracked.ts'
import { foldLines } from './fold-lines.ts'
import { parseTrackedRow } from './tracked-row.ts'

/** Of this process's network namespace; only root can read it, without any capability. */
const TABLE = '/proc/self/net/nf_conntrack'

/** The kernel skips rows while it removes others (ct_seq_show): one reading proves nothing. */
const READINGS = 3
const READ_WITHIN_MS = 5_000
/** After this time it has to be proven again that clients are tracked. */
const PROVEN_FOR_MS = 600_000

interface TrackedParts extends Pick<TrackedWanted, 'port' | 'isOwn'> {
  /** The machine's present addresses, canonical. */
  readonly addresses: () => ReadonlySet<string>
  readonly lastOwnPorts: () => readonly number[]
  readonly clock: Clock
}

interface Reading extends TrackedSeen {
  readonly at: number
}

/**
 * Counts by the kernel's connection tracking, for a port that network rules lead into a pod, where no socket of the node has
 * it. An empty table proves nothing where rules or programs (NOTRACK, eBPF) bypass it. So it counts only while it shows this
 * process's own last checks, and if it has lately shown a client that is not this machine.
 */
export class TrackedConnections implements TrackedTable {
  readonly #parts: TrackedParts
  readonly #table: string
  readonly #mark: string
  #readings: readonly Reading[] = []
  #othersAt: number | undefined

  constructor(parts: TrackedParts, table: string = TABLE) {
    this.#parts = parts
    this.#table = table
    this.#mark = ` dport=${parts.port} `
  }

  /** The most of the last readings; see `TrackedTable`. */
  async count(signal: AbortSignal): Promise<Tracked | 'soon' | undefined> {
    const seen = await this.#read(signal)
    const now = this.#parts.clock.monoMs()
    const before = this.#readings.filter(({ at }) => now - at <= READ_WITHIN_MS).slice(1 - READINGS)
    this.#readings = seen === undefined ? [] : [...before, { ...seen, at: now }]
    if (seen?.hasOthers === true) this.#othersAt = now
    const isProven = this.#othersAt !== undefined && now - this.#othersAt <= PROVEN_FOR_MS
    if (seen === undefined || (!isProven && seen.hasOwn && this.#readings.length >= READINGS)) return undefined
    const hasAsked = this.#parts.lastOwnPorts().length > 0
    // The kernel may skip our own rows, too.
    const mayTell = !hasAsked || this.#readings.some(({ hasOwn }) => hasOwn)
    if (!seen.hasOwn || this.#readings.length < READINGS) return mayTell ? 'soon' : undefined
    return {
      open: Math.max(...this.#readings.map(({ open }) => open)),
      elsewhere: Math.max(...this.#readings.map(({ openElsewhere }) => openElsewhere)),
    }
  }

  /** Undefined where it cannot be read, or a row of the port makes no sense. */
  async #read(signal: AbortSignal): Promise<TrackedSeen | undefined> {
    const { addresses, lastOwnPorts, ...parts } = this.#parts
    try {
      const wanted = { ...parts, addresses: addresses(), lastOwnPorts: lastOwnPorts() }
      return await foldLines(
        this.#table,
        { from: NONE_TRACKED, each: (seen, line) => this.#with(seen, line, wanted) },
        signal,
      )
    } catch {
      signal.throwIfAborted()
      return undefined
    }
  }

  #with(seen: TrackedSeen, line: string, wanted: TrackedWanted): TrackedSeen {
    if (!line.includes(this.#mark) || !line.includes(' tcp ')) return seen
    const row = parseTrackedRow(line)
    if (row === undefined) throw new Error(`this row is not a connection: ${line.slice(0, 200)}`)
    return withTracked(seen, row, wanted)
  }
}
