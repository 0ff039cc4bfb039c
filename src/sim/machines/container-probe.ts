import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import { Lifetime } from './lifetime.ts'
import type { ProbeSpec } from './node-pod.ts'

interface ContainerProbeParts {
  readonly timers: Timers
  readonly random: SeededRandom
  readonly spec: ProbeSpec
  /** How long the kubelet has run. */
  readonly kubeletMs: number
  /** What counts until it is found to be otherwise; undefined: nothing does. */
  readonly until: boolean | undefined
  readonly ask: () => boolean
  /** It rests until it is woken once it has nothing to find out; else it asks at every period. */
  readonly canRest: boolean
  readonly onChange: (isGood: boolean) => void
}

/**
 * From the start of a container until it is asked for the first time: the kubelet finds it by listing containers once a second,
 * and then asks at once, whatever the period (prober_manager.go, UpdatePodStatus: "Trigger an immediate run").
 */
const FIRST_MS = [350, 1_000] as const
/** What the API stores where nothing is said (pkg/apis/core/v1/defaults.go, SetDefaults_Probe). */
const PERIOD_S = 10
const FAILURES = 3

/** One probe of one start of a container (pkg/kubelet/prober/worker.go). */
export class ContainerProbe {
  readonly #parts: ContainerProbeParts
  readonly #life: Lifetime
  readonly #periodMs: number
  #result: boolean | undefined
  #latest: boolean | undefined
  /** The same answer in a row. */
  #run = 0
  #isResting = false

  constructor(parts: ContainerProbeParts) {
    const { timers, random, spec, kubeletMs, until } = parts
    this.#parts = parts
    this.#life = new Lifetime(timers)
    this.#result = until
    this.#periodMs = 1_000 * (spec.periodSeconds ?? PERIOD_S)
    const foundMs = random.between(...FIRST_MS)
    // A kubelet that has just started does not begin all of its probes at once.
    const firstMs = kubeletMs < this.#periodMs ? Math.max(foundMs, random.between(0, this.#periodMs)) : foundMs
    const delayMs = 1_000 * (spec.initialDelaySeconds ?? 0)
    const periods = Math.max(0, Math.ceil((delayMs - firstMs) / this.#periodMs))
    this.#askAfter(firstMs + periods * this.#periodMs)
  }

  /** What it asks for may be otherwise now. */
  wake(): void {
    if (!this.#isResting) return
    this.#isResting = false
    this.#askAfter(this.#parts.random.between(0, this.#periodMs))
  }

  end(): void {
    this.#life.end()
  }

  #askAfter(ms: number): void {
    this.#life.later(ms, () => this.#ask())
  }

  #ask(): void {
    const { spec, ask, canRest, onChange } = this.#parts
    const answer = ask()
    this.#run = answer === this.#latest ? this.#run + 1 : 1
    this.#latest = answer
    const needed = answer ? (spec.successThreshold ?? 1) : (spec.failureThreshold ?? FAILURES)
    const isNews = answer !== this.#result && this.#run >= needed
    if (isNews) this.#result = answer
    this.#isResting = canRest && answer === this.#result
    if (!this.#isResting) this.#askAfter(this.#periodMs)
    if (isNews) onChange(answer)
  }
}
