import type { ProbeTarget, Sample } from '../../ground/model/probe.ts'
import type { ProbeSignal } from '../../ground/model/probe-signal.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { ProbeSource } from '../../ground/ports/probe-source.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { Network } from '../network/network.ts'
import { OpenLoopClient } from './open-loop-client.ts'

interface VirtualProbeParts {
  readonly targets: readonly ProbeTarget[]
  readonly network: Network
  readonly clock: Clock
  readonly timers: Timers
  /** Sees each sample as well, when the source does. */
  readonly onSample?: (sample: Sample) => void
  /** A tenth of a second, as the prober's own process tells what it saw, unless told otherwise. */
  readonly batchEveryMs?: number
}

const BATCH_EVERY_MS = 100

/** A prober that never dies and is never late: open-loop clients, and a batch every tenth of a second. */
export class VirtualProbeSource implements ProbeSource {
  readonly #parts: VirtualProbeParts

  constructor(parts: VirtualProbeParts) {
    this.#parts = parts
  }

  run(emit: (signal: ProbeSignal) => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const watch = new Watch(this.#parts, emit)
      watch.start()
      signal.addEventListener('abort', () => watch.stop(resolve), { once: true })
    })
  }
}

/** One run of the source. */
class Watch {
  readonly #parts: VirtualProbeParts
  readonly #emit: (signal: ProbeSignal) => void
  readonly #clients: readonly OpenLoopClient[]
  #samples: Sample[] = []
  #callOff: (() => void) | undefined

  constructor(parts: VirtualProbeParts, emit: (signal: ProbeSignal) => void) {
    this.#parts = parts
    this.#emit = emit
    const { network, clock, timers, onSample } = parts
    const sink = (sample: Sample): void => {
      this.#samples.push(sample)
      onSample?.(sample)
    }
    this.#clients = parts.targets.map(
      (target) => new OpenLoopClient({ target, network, clock, timers, sink, repeats: true }),
    )
  }

  start(): void {
    this.#emit({ type: 'started', at: this.#parts.clock.wallMs() })
    for (const client of this.#clients) client.start()
    this.#tellOften()
  }

  stop(ended: () => void): void {
    let running = 1
    const settled = (): void => {
      running -= 1
      if (running > 0) return
      this.#callOff?.()
      this.#tell()
      ended()
    }
    for (const client of this.#clients) {
      running += 1
      client.stop(settled)
    }
    settled()
  }

  #tellOften(): void {
    this.#callOff = this.#parts.timers.later(this.#parts.batchEveryMs ?? BATCH_EVERY_MS, () => {
      this.#tell()
      this.#tellOften()
    })
  }

  #tell(): void {
    const samples = this.#samples
    this.#samples = []
    const at = this.#parts.clock.wallMs()
    this.#emit({ type: 'batch', at, samples, settledBefore: this.#settledBefore(at) })
  }

  #settledBefore(now: WallMs): WallMs {
    let before = now
    for (const { owedSince } of this.#clients) if (owedSince !== undefined && owedSince < before) before = owedSince
    return before
  }
}
