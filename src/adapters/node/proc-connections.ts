import { type FileHandle, open } from 'node:fs/promises'
import type { OpenConnections } from '../../ports/open-connections.ts'
import { type ConnectionsSeen, type ConnectionsWanted, NONE_SEEN, withRow } from './count-connections.ts'
import { parseSocketRow } from './socket-row.ts'

/** Of the network namespace that this process is in (proc(5), network_namespaces(7)). */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
const CHUNK_BYTES = 65_536

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

  /** Piece by piece: a table has 150 bytes for each connection. Undefined where it cannot be read. */
  async #read(path: string, before: ConnectionsSeen, signal: AbortSignal): Promise<ConnectionsSeen | undefined> {
    try {
      const file = await open(path, 'r')
      try {
        return await this.#fold(file, before, signal)
      } finally {
        await file.close()
      }
    } catch (error) {
      signal.throwIfAborted()
      // A machine without IPv6 has no such table.
      return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? before : undefined
    }
  }

  async #fold(file: FileHandle, before: ConnectionsSeen, signal: AbortSignal): Promise<ConnectionsSeen> {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    let seen = before
    let cut = ''
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null)
      if (bytesRead === 0) return this.#withLine(seen, cut)
      const lines = `${cut}${buffer.toString('latin1', 0, bytesRead)}`.split('\n')
      cut = lines.pop() ?? ''
      seen = lines.reduce((so, line) => this.#withLine(so, line), seen)
    }
  }

  /** Most rows are none of the data port's, and are not looked at further. */
  #withLine(seen: ConnectionsSeen, line: string): ConnectionsSeen {
    const row = line.includes(this.#mark) ? parseSocketRow(line) : undefined
    return row === undefined ? seen : withRow(seen, row, this.#wanted)
  }
}
