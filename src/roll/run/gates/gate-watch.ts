import { Backoff } from '../../../ground/loop/backoff.ts'
import { Wakeup } from '../../../ground/loop/wakeup.ts'
import { present } from '../../../ground/model/present.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Random } from '../../../ground/ports/random.ts'
import type { GateReading, GateReadings } from '../../decide/gates/gate-readings.ts'
import type { GateWant } from '../../decide/gates/gates-held.ts'
import type { GateSpec } from '../../model/gate-spec.ts'
import { isFor } from '../../model/request-scope.ts'
import type { GateSource } from '../../ports/gate-source.ts'

interface GateWatchParts {
  readonly gates: readonly GateSpec[]
  readonly source: GateSource
  readonly clock: Clock
  readonly random: Random
  /** More is known. It must only take note. */
  readonly onNews: () => void
}

/** What is known of one gate at the moment that is waited for. */
interface Asked {
  readonly backoff: Backoff
  readings: readonly GateReading[]
  isAsking: boolean
  dueAt: number
}

/** Up to a tenth sooner or later, so that many rolls do not ask one server together. */
const JITTER = 0.1
/** A gate that does not pass is asked more and more rarely, up to this many intervals. */
const BACKOFF_INTERVALS = 6

const NOT_WANTED = new Error('the gates are wanted for something else')

/** Asks gates beside the passes, only while a pass waits for them, each on its own: one that hangs holds up no other. */
export class GateWatch {
  readonly #parts: GateWatchParts
  readonly #wakeup: Wakeup
  #want: GateWant | undefined
  #about: GateWant | undefined
  #asked = new Map<string, Asked>()
  #cancel = new AbortController()
  #fault: unknown

  constructor(parts: GateWatchParts) {
    this.#parts = parts
    this.#wakeup = new Wakeup(parts.clock)
  }

  readings(): GateReadings {
    const readings = Object.fromEntries([...this.#asked].map(([name, asked]) => [name, asked.readings]))
    return { ...present({ about: this.#about }), readings }
  }

  /** After each pass: what it waits for. Answers for the same node and moment are kept. */
  want(want: GateWant | undefined): void {
    this.#want = want
    if (want === undefined) return
    if (want.node !== this.#about?.node || want.moment !== this.#about.moment) this.#begin(want)
    this.#wakeup.wake()
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault
      await this.#wakeup.next(this.#askDue(signal), signal)
    }
  }

  #begin(want: GateWant): void {
    this.#cancel.abort(NOT_WANTED)
    this.#cancel = new AbortController()
    this.#about = want
    const gates = this.#parts.gates.filter((gate) => gate.before.includes(want.moment) && isFor(gate, want.scope))
    this.#asked = new Map(gates.map((gate) => [gate.name, this.#fresh(gate)]))
  }

  #fresh({ intervalMs }: GateSpec): Asked {
    const limits = { baseMs: intervalMs, capMs: intervalMs * BACKOFF_INTERVALS }
    return { backoff: new Backoff(limits, this.#parts.random), readings: [], isAsking: false, dueAt: 0 }
  }

  /** From now until the next one is due; undefined while nothing is waited for. */
  #askDue(signal: AbortSignal): number | undefined {
    const want = this.#want
    if (want === undefined) return undefined
    const now = this.#parts.clock.monoMs()
    let nextMs: number | undefined
    for (const gate of this.#parts.gates) {
      const asked = this.#asked.get(gate.name)
      if (asked === undefined || asked.isAsking) continue
      if (asked.dueAt <= now) void this.#ask(gate, { asked, want }, signal)
      else nextMs = Math.min(nextMs ?? Number.POSITIVE_INFINITY, asked.dueAt - now)
    }
    return nextMs
  }

  async #ask(gate: GateSpec, { asked, want }: { asked: Asked; want: GateWant }, signal: AbortSignal): Promise<void> {
    const { source, clock, onNews } = this.#parts
    const begunAt = clock.monoMs()
    const cancelled = this.#cancel.signal
    asked.isAsking = true
    try {
      const answer = await source.ask(gate, want, AbortSignal.any([signal, cancelled]))
      const endedAt = clock.monoMs()
      asked.readings = [...asked.readings, { ...answer, begunAt, endedAt }].slice(-gate.timesInARow)
      asked.dueAt = endedAt + this.#pauseMs(gate, asked, answer.kind === 'passes')
      onNews()
    } catch (error) {
      if (!signal.aborted && !cancelled.aborted) this.#fault = error
    } finally {
      asked.isAsking = false
      this.#wakeup.wake()
    }
  }

  #pauseMs({ intervalMs }: GateSpec, { backoff }: Asked, isGood: boolean): number {
    if (!isGood) return Math.max(intervalMs / 2, backoff.nextMs())
    backoff.reset()
    return intervalMs * (1 + JITTER * (2 * this.#parts.random.next() - 1))
  }
}
