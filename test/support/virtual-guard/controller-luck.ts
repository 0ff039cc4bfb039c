import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { Passage } from '../../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../../src/sim/world/api-request.ts'
import { troubled } from '../fleet/fleet-luck.ts'
import type { GuardScenario } from './guard-scenario.ts'

type LuckScenario = Pick<GuardScenario, 'deaths' | 'healAtMs' | 'api'>

const DIES = 0.06

/** Which requests of the controller go wrong, and at which of its writes a process dies. */
export class ControllerLuck {
  deaths = 0
  readonly #scenario: LuckScenario
  readonly #random: SeededRandom
  #begunAt: number | undefined

  constructor(scenario: LuckScenario, random: SeededRandom) {
    this.#scenario = scenario
    this.#random = random
  }

  /** From then on. */
  begin(now: number): void {
    this.#begunAt = now
  }

  dies(effect: string, now: number): boolean {
    const { deaths, healAtMs } = this.#scenario
    const atMs = this.#begunAt === undefined ? undefined : now - this.#begunAt
    if (atMs === undefined || atMs > healAtMs || effect.includes('/events')) return false
    if (this.deaths >= deaths || this.#random.next() >= DIES) return false
    this.deaths += 1
    return true
  }

  passageOf(request: ApiRequest, now: number): Passage {
    const atMs = this.#begunAt === undefined ? -1 : now - this.#begunAt
    const isWrite = request.method !== 'GET'
    const trouble = this.#scenario.api.find(({ what, fromMs, toMs, share }) => {
      if (atMs < fromMs || atMs >= toMs || atMs > this.#scenario.healAtMs) return false
      if ((what === 'unheard' || what === 'conflicts') && !isWrite) return false
      return this.#random.next() < share
    })
    return troubled(trouble?.what, this.#random)
  }
}
