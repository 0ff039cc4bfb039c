import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { ContainerProcess } from '../plane/data-plane.ts'
import { ContainerProbe } from './container-probe.ts'
import type { ContainerSpec, ProbeSpec } from './node-pod.ts'
import { type ProbeKind, probeAnswer } from './probe-answer.ts'

interface ContainerProbesParts {
  readonly timers: Timers
  readonly random: SeededRandom
  readonly process: ContainerProcess
  readonly container: ContainerSpec
  readonly kubeletMs: () => number
  /** Its startup probe has passed. */
  readonly onStarted: () => void
  readonly onReady: (isReady: boolean) => void
  /** Its startup or its liveness probe has failed: it is to end. */
  readonly onFailed: () => void
}

/** The probes of one start of a container: until that for its startup has passed, no other asks (pkg/kubelet/prober/worker.go). */
export class ContainerProbes {
  readonly #parts: ContainerProbesParts
  readonly #canRest: boolean
  #probes: readonly ContainerProbe[] = []

  constructor(parts: ContainerProbesParts) {
    const { process, container, onStarted, onFailed } = parts
    this.#parts = parts
    this.#canRest = process.onReadiness !== undefined
    process.onReadiness?.(() => {
      for (const probe of this.#probes) probe.wake()
    })
    if (container.startupProbe === undefined) this.#begin()
    else
      this.#probes = this.#probe('startup', container.startupProbe, {
        until: undefined,
        onChange: (hasPassed) => {
          this.end()
          if (!hasPassed) onFailed()
          else {
            onStarted()
            this.#begin()
          }
        },
      })
  }

  end(): void {
    for (const probe of this.#probes) probe.end()
  }

  #begin(): void {
    const { container, onReady, onFailed } = this.#parts
    const onLiveness = (lives: boolean): void => {
      if (!lives) onFailed()
    }
    this.#probes = [
      ...this.#probe('readiness', container.readinessProbe, { until: false, onChange: onReady }),
      ...this.#probe('liveness', container.livenessProbe, { until: true, onChange: onLiveness }),
    ]
  }

  #probe(
    kind: ProbeKind,
    spec: ProbeSpec | undefined,
    how: { readonly until: boolean | undefined; readonly onChange: (isGood: boolean) => void },
  ): readonly ContainerProbe[] {
    if (spec === undefined) return []
    const { timers, random, kubeletMs } = this.#parts
    const ask = (): boolean => probeAnswer(this.#parts, kind, spec)
    const parts = { timers, random, spec, ask, kubeletMs: kubeletMs(), canRest: this.#canRest, ...how }
    return [new ContainerProbe(parts)]
  }
}
