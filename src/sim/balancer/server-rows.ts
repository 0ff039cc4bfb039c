import type { Backend } from './backend.ts'
import type { Server } from './server.ts'

/** How the row of a server is written. */
export interface RowWriting<P> {
  /** All of the row except times; the same parts as before where they are equal. */
  readonly partsOf: (backend: Backend, server: Server, last: P | undefined) => P
  readonly textOf: (parts: P, server: Server) => string
}

interface Row<P> {
  readonly parts: P
  /** Of the server, when its parts were looked at last. */
  version: number
  text: string
}

/** What was written last of the servers of a backend, in their order. */
interface Rows<P> {
  readonly rows: Row<P>[]
  /** Rows of so many servers each, joined. */
  readonly blocks: string[]
  nowS: number
}

const BLOCK = 64

/**
 * A table of all servers as pieces of text, its head first. It is read several times a second, and between two reads hardly
 * anything changes: unchanged parts are neither written nor joined again.
 */
export class ServerRows<P> {
  readonly #head: string
  readonly #writing: RowWriting<P>
  readonly #written = new WeakMap<Backend, Rows<P>>()

  constructor(head: string, writing: RowWriting<P>) {
    this.#head = head
    this.#writing = writing
  }

  of(backends: readonly Backend[]): readonly string[] {
    return [this.#head, ...backends.flatMap((backend) => this.#blocksOf(backend))]
  }

  #blocksOf(backend: Backend): readonly string[] {
    const { servers } = backend
    const nowS = servers[0]?.times.nowS ?? 0
    const known = this.#written.get(backend) ?? { rows: [], blocks: [], nowS }
    this.#written.set(backend, known)
    const isLater = known.nowS !== nowS
    known.nowS = nowS
    for (let from = 0; from < servers.length; from += BLOCK) {
      const block = servers.slice(from, from + BLOCK)
      const changed = block.filter((server, i) => this.#renew(known.rows, from + i, { backend, server, isLater }))
      if (changed.length === 0) continue
      const texts = known.rows.slice(from, from + BLOCK).map(({ text }) => text)
      known.blocks[from / BLOCK] = texts.join('')
    }
    return known.blocks
  }

  /** Whether its text is another than it was. */
  #renew(
    rows: Row<P>[],
    at: number,
    { backend, server, isLater }: { readonly backend: Backend; readonly server: Server; readonly isLater: boolean },
  ): boolean {
    const { partsOf, textOf } = this.#writing
    const known = rows[at]
    const { version } = server
    if (known?.version === version && !isLater) return false
    const parts = known?.version === version ? known.parts : partsOf(backend, server, known?.parts)
    if (known === undefined || parts !== known.parts) {
      rows[at] = { parts, version, text: textOf(parts, server) }
      return true
    }
    known.version = version
    if (isLater) known.text = textOf(parts, server)
    return isLater
  }
}
