import { Backoff } from '../../ground/loop/backoff.ts'
import { Wakeup } from '../../ground/loop/wakeup.ts'
import { type MonoMs, monoMs } from '../../ground/model/time.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { allotPorts } from '../decide/ingress-ports.ts'

interface OpenPort {
  close(): Promise<void>
}

interface IngressPortsParts {
  /** The owners of the wanted ports, as of now. */
  readonly wanted: () => ReturnType<typeof allotPorts>
  /** Whether they are known yet. */
  readonly isKnown: () => boolean
  /** Rejects with UserError where the port is not available, or with the signal's reason. */
  readonly open: (port: number, signal: AbortSignal) => Promise<OpenPort>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

interface Refused {
  readonly why: string
  readonly backoff: Backoff
  readonly again: MonoMs
}

const AGAIN = { baseMs: 1_000, capMs: 60_000 } as const

/** Opens and closes the ports of IngressDaemonSets as they come and go. A port that is not available delays no other port. */
export class IngressPorts {
  readonly #parts: IngressPortsParts
  readonly #wakeup: Wakeup
  readonly #open = new Map<number, OpenPort>()
  readonly #refused = new Map<number, Refused>()
  readonly #closing = new Set<Promise<void>>()
  #allotted: ReturnType<typeof allotPorts> = { ports: new Map(), trouble: [] }
  #logged: readonly string[] = []
  #isSettled = false

  constructor(parts: IngressPortsParts) {
    this.#parts = parts
    this.#wakeup = new Wakeup(parts.clock)
  }

  /** Each port that was wanted when that became known is open, or was tried. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  /** For people. */
  get trouble(): readonly string[] {
    return [...this.#allotted.trouble, ...[...this.#refused.values()].map(({ why }) => why)]
  }

  /** The UID of the Deployment that is answered for at a port. */
  ownerOf(port: number): string | undefined {
    return this.#allotted.ports.get(port)
  }

  isOpen(port: number): boolean {
    return this.#open.has(port)
  }

  wake(): void {
    this.#wakeup.wake()
  }

  /** Until aborted; rejects with the signal's reason. Open ports stay open: see `close`. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const isKnown = this.#parts.isKnown()
      this.#allotted = this.#parts.wanted()
      this.#closeOthers()
      // All at once: it takes a second to find out that a silent program has a port.
      await Promise.all([...this.#allotted.ports.keys()].map((port) => this.#try(port, signal)))
      this.#tell()
      this.#isSettled ||= isKnown
      await this.#wakeup.next(this.#againInMs(), signal)
    }
  }

  async close(): Promise<void> {
    for (const port of this.#open.keys()) this.#close(port)
    await Promise.all(this.#closing)
  }

  #closeOthers(): void {
    const { ports } = this.#allotted
    for (const port of this.#open.keys()) if (!ports.has(port)) this.#close(port)
    for (const port of this.#refused.keys()) if (!ports.has(port)) this.#refused.delete(port)
  }

  /** Not waited for: a checker that reads its answer slowly delays no other port. */
  #close(port: number): void {
    const closing = this.#open.get(port)?.close()
    this.#open.delete(port)
    if (closing === undefined) return
    this.#closing.add(closing)
    void closing.finally(() => this.#closing.delete(closing))
  }

  async #try(port: number, signal: AbortSignal): Promise<void> {
    const { open, clock, random } = this.#parts
    const before = this.#refused.get(port)
    if (this.#open.has(port) || (before !== undefined && clock.monoMs() < before.again)) return
    try {
      this.#open.set(port, await open(port, signal))
      this.#refused.delete(port)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      const backoff = before?.backoff ?? new Backoff(AGAIN, random)
      const again = monoMs(clock.monoMs() + backoff.nextMs())
      this.#refused.set(port, { why: error.message, backoff, again })
    }
  }

  #tell(): void {
    const { trouble } = this
    for (const line of trouble) if (!this.#logged.includes(line)) this.#parts.log.warn(line)
    this.#logged = trouble
  }

  #againInMs(): number | undefined {
    const times = [...this.#refused.values()].map(({ again }) => again - this.#parts.clock.monoMs())
    return times.length === 0 ? undefined : Math.min(...times)
  }
}
