import type { OpenConnections } from '../../ports/open-connections.ts'
import { NONE_TRACKED, OVER, type TrackedSeen, type TrackedWanted, withTracked } from './count-tracked.ts'
import { foldLines } from './fold-lines.ts'
import { parseTrackedRow } from './tracked-row.ts'

/** Of the network namespace that this process is in; for root alone, who needs no capability for it. */
const TABLE = '/proc/self/net/nf_conntrack'

export interface TrackedParts extends Pick<TrackedWanted, 'port' | 'isOwn'> {
  /** The machine's addresses as they are now, canonical. */
  readonly addresses: () => ReadonlySet<string>
  readonly lastOwnPorts: () => readonly number[]
}

/** Of the tens of thousands of rows of a busy port, nearly all are over. */
const OVER_MARKS = OVER.map((state) => ` ${state} src=`)

/**
 * Counts by the kernel's connection tracking, for a port that rules of the network lead into a pod, where no socket of the
 * node has it. An empty table proves nothing where rules or programs (NOTRACK, eBPF) lead around it. So it counts only while
 * it shows this process's own last check, and after it has shown a client from another machine.
 */
export class TrackedConnections implements OpenConnections {
  readonly #parts: TrackedParts
  readonly #table: string
  readonly #mark: string
  #othersSeen = false

  constructor(parts: TrackedParts, table: string = TABLE) {
    this.#parts = parts
    this.#table = table
    this.#mark = ` dport=${parts.port} `
  }

  async count(signal: AbortSignal): Promise<number | undefined> {
    const { addresses, lastOwnPorts, ...wanted } = this.#parts
    const seen = await this.#read({ ...wanted, addresses: addresses(), lastOwnPorts: lastOwnPorts() }, signal)
    if (seen === undefined) return undefined
    this.#othersSeen ||= seen.hasOthers
    return seen.hasOwn && this.#othersSeen ? seen.open : undefined
  }

  /** Undefined where it cannot be read. */
  async #read(wanted: TrackedWanted, signal: AbortSignal): Promise<TrackedSeen | undefined> {
    const ownMarks = wanted.lastOwnPorts.map((port) => ` sport=${port} `)
    const tells = (seen: TrackedSeen, line: string): boolean => {
      if (!line.includes(this.#mark)) return false
      if (!OVER_MARKS.some((mark) => line.includes(mark))) return true
      return !(this.#othersSeen || seen.hasOthers) || (!seen.hasOwn && ownMarks.some((mark) => line.includes(mark)))
    }
    const each = (seen: TrackedSeen, line: string): TrackedSeen => {
      const row = tells(seen, line) ? parseTrackedRow(line) : undefined
      return row === undefined ? seen : withTracked(seen, row, wanted)
    }
    try {
      return await foldLines(this.#table, { from: NONE_TRACKED, each }, signal)
    } catch {
      signal.throwIfAborted()
      return undefined
    }
  }
}
