import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { ApiAccess } from './api-access.ts'

/** The least and the most that a client waits before it tries again (component-helpers, lease controller: 200 ms to 7 s). */
const FIRST_MS = 200
const LONGEST_MS = 7_000

interface ApiLinkParts {
  readonly access: ApiAccess
  readonly timers: Timers
  readonly random: SeededRandom
  /** The API answers again after a failure. */
  readonly onBack: () => void
}

/** What one client writes by: once a request has failed, it counts the API as away until one of its own retries succeeds. */
export class ApiLink {
  readonly #parts: ApiLinkParts
  #isLost = false

  constructor(parts: ApiLinkParts) {
    this.#parts = parts
  }

  isUp(): boolean {
    if (this.#isLost) return false
    if (this.#parts.access.life !== undefined) return true
    this.#isLost = true
    this.#retryAfter(FIRST_MS)
    return false
  }

  #retryAfter(ms: number): void {
    const { access, timers, random, onBack } = this.#parts
    timers.later(ms * random.between(1, 1.1), () => {
      if (access.life === undefined) {
        this.#retryAfter(Math.min(2 * ms, LONGEST_MS))
        return
      }
      this.#isLost = false
      onBack()
    })
  }
}
