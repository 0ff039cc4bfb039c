import { present } from '../../../../ground/model/present.ts'
import type { MonoMs } from '../../../../ground/model/time.ts'
import { monoMs } from '../../../../ground/model/time.ts'
import { untilAborted } from '../../../../ground/model/until-aborted.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'
import type { StatusWord } from './parse-status.ts'

interface NodeStatusesParts {
  /** Asks for the state of one node: its status, or why it is unknown. It has a time limit of its own. */
  readonly ask: (node: string, signal: AbortSignal) => Promise<StatusWord | string>
  readonly intervalMs: number
  readonly clock: Clock
}

interface Seen {
  readonly askedAt: MonoMs
  readonly word: StatusWord | string
  /** The last status that could be read. */
  readonly known?: StatusWord
}

/** How many commands run at once. Some places are kept for the nodes that a decision waits for, since other commands may hang. */
const AT_ONCE = 8
const BESIDE = 6
const NEVER = monoMs(Number.NEGATIVE_INFINITY)

/**
 * The last status of each node. A command goes on beside the polls, since it may take longer than they should. Commands of
 * nodes that a decision is made by are waited for.
 */
export class NodeStatuses {
  readonly #parts: NodeStatusesParts
  readonly #seen = new Map<string, Seen>()
  readonly #asking = new Map<string, Promise<void>>()
  readonly #over = new AbortController()
  #bug: { readonly error: unknown } | undefined

  constructor(parts: NodeStatusesParts) {
    this.#parts = parts
  }

  of(node: string): Seen | undefined {
    return this.#seen.get(node)
  }

  /** Resolves once each of these nodes was asked at its time or later. Rejects with the reason of the signal. */
  async since(at: ReadonlyMap<string, MonoMs>, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      this.#over.signal.throwIfAborted()
      if (this.#bug !== undefined) throw this.#bug.error
      const missing = [...at].filter(([node, from]) => this.#askedAt(node) < from).map(([node]) => node)
      if (missing.length === 0) return
      this.#begin(missing, AT_ONCE)
      await untilAborted(Promise.race(this.#asking.values()), signal)
    }
  }

  /** Starts the commands that are due, and waits for none. */
  refresh(nodes: readonly string[]): void {
    const { clock, intervalMs } = this.#parts
    const due = nodes.filter((node) => clock.monoMs() - this.#askedAt(node) >= intervalMs)
    this.#begin(
      due.toSorted((one, other) => this.#askedAt(one) - this.#askedAt(other)),
      BESIDE,
    )
  }

  /** Ends commands that still run. */
  async end(): Promise<void> {
    this.#over.abort()
    await Promise.all(this.#asking.values())
  }

  #askedAt(node: string): MonoMs {
    return this.#seen.get(node)?.askedAt ?? NEVER
  }

  #begin(nodes: readonly string[], most: number): void {
    for (const node of nodes) {
      if (this.#asking.size >= most || this.#over.signal.aborted) return
      if (!this.#asking.has(node)) this.#asking.set(node, this.#ask(node))
    }
  }

  async #ask(node: string): Promise<void> {
    const askedAt = this.#parts.clock.monoMs()
    try {
      const word = await this.#parts.ask(node, this.#over.signal)
      const known = typeof word === 'string' ? this.#seen.get(node)?.known : word
      this.#seen.set(node, { askedAt, word, ...present({ known }) })
    } catch (error) {
      if (!this.#over.signal.aborted) this.#bug = { error }
    } finally {
      this.#asking.delete(node)
    }
  }
}
