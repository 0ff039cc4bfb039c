import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { ApiAccess } from './api-access.ts'

/** The first wait is as long as this, and each is twice the one before, up to the longest. Jitter at most doubles it. */
const FIRST_MS = 800
const LONGEST_MS = 30_000
/** Once no wait has begun for so long, the next is a first one again. */
const RESET_MS = 120_000

interface ReflectorParts {
  readonly access: ApiAccess
  /** Of the process that follows: they end with it. */
  readonly timers: Timers
  readonly random: SeededRandom
  /** The API server has just gone: what is there now is the last that it knows. */
  readonly onLost?: () => void
  /** It has listed anew. What happened meanwhile it sees by what is there now. */
  readonly onBack: () => void
}

/**
 * Follows a kind of object as client-go does (tools/cache/reflector.go, NewReflectorWithOptions; apimachinery,
 * wait/backoff.go): its watch ends at the moment when the API server goes, and it lists again and again until it is
 * answered. After a long outage it is back up to a minute after the API server.
 */
export class Reflector {
  readonly #parts: ReflectorParts
  #isFollowing = false
  #nextMs = FIRST_MS
  #callOffReset: () => void = () => undefined

  constructor(parts: ReflectorParts) {
    this.#parts = parts
    if (!this.#follow()) this.#tryLater()
  }

  /** It hears of every change. */
  get isFollowing(): boolean {
    return this.#isFollowing
  }

  /** False where the API server is away. */
  #follow(): boolean {
    const { access, onLost } = this.#parts
    const { life } = access
    this.#isFollowing = life !== undefined
    const lost = (): void => {
      this.#isFollowing = false
      onLost?.()
      this.#tryLater()
    }
    life?.addEventListener('abort', lost, { once: true })
    return this.#isFollowing
  }

  #tryLater(): void {
    const { timers, random, onBack } = this.#parts
    const waitMs = this.#nextMs * random.between(1, 2)
    this.#nextMs = Math.min(2 * this.#nextMs, LONGEST_MS)
    this.#callOffReset()
    this.#callOffReset = timers.later(RESET_MS, () => {
      this.#nextMs = FIRST_MS
    })
    timers.later(waitMs, () => {
      if (this.#follow()) onBack()
      else this.#tryLater()
    })
  }
}
