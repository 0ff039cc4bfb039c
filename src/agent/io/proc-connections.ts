import type { OpenConnections } from '../ports/open-connections.ts'
import { type ConnectionsSeen, type ConnectionsWanted, NONE_SEEN, withRow } from './count-connections.ts'
import { foldLines } from './fold-lines.ts'
import { parseSocketRow } from './socket-row.ts'

/** Of this process's network namespace (proc(5), network_namespaces(7)). */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']

/** Counts by the kernel's tables of sockets, where these have the data port: in the node's own network namespace. */
export class ProcConnections implements OpenConnections {
  readonly #wanted: ConnectionsWanted
  readonly #tables: readonly string[]
  readonly #mark: string

  constructor(wanted: ConnectionsWanted, tables: readonly string[] = TABLES) {
    this.#wanted = wanted
    this.#mark = `:${wanted.port.toString(16).toUpperCase().padStart(4, '0')} `
    this.#tables = tables
  }

  async count(signal: AbortSignal): Promise<number | undefined> {
    let seen = NONE_SEEN
    for (const table of this.#tables) {
      const more = await this.#read(table, seen, signal)
      if (more === undefined) return undefined
      seen = more
    }
    return seen.listens ? seen.open : undefined
  }

  /** Undefined where it cannot be read. */
  async #read(path: string, before: ConnectionsSeen, signal: AbortSignal): Promise<ConnectionsSeen | undefined> {
    try {
      return await foldLines(path, { from: before, each: (seen, line) => this.#withLine(seen, line) }, signal)
    } catch (error) {
      signal.throwIfAborted()
      // A machine without IPv6 has no such table.
      return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? before : undefined
    }
  }

  /** Most rows are not about the data port, and are skipped. */
  #withLine(seen: ConnectionsSeen, line: string): ConnectionsSeen {
    const row = line.includes(this.#mark) ? parseSocketRow(line) : undefined
    return row === undefined ? seen : withRow(seen, row, this.#wanted)
  }
}
