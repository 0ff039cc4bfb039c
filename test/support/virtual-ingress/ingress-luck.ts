import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { Passage } from '../../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../../src/sim/world/api-request.ts'
import { troubled } from '../fleet/fleet-luck.ts'
import type { IngressScenario } from './ingress-scenario.ts'

const DIES = 0.06

/** Which requests of the controller go wrong, and at which of its writes a process dies. */
export class IngressLuck {
  /** All of them; the scenario limits those that are drawn. */
  deaths = 0
  readonly #scenario: IngressScenario
  readonly #random: SeededRandom
  #begunAt: number | undefined
  #drawn = 0
  #hasForgotten = false

  constructor(scenario: IngressScenario, random: SeededRandom) {
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
    if (!this.#hasForgotten && this.#areSlotsUnread(atMs)) this.#hasForgotten = true
    else if (this.#drawn >= deaths || this.#random.next() >= DIES) return false
    else this.#drawn += 1
    this.deaths += 1
    return true
  }

  #areSlotsUnread(atMs: number): boolean {
    const { fromMs = 0, toMs = 0 } = this.#scenario.slotsUnread ?? {}
    return atMs >= fromMs && atMs < toMs
  }

  passageOf(request: ApiRequest, now: number): Passage {
    const atMs = this.#begunAt === undefined ? -1 : now - this.#begunAt
    const isWrite = request.method !== 'GET'
    if (!isWrite && request.path.includes('/leases/evenkeel-slot-') && this.#areSlotsUnread(atMs))
      return troubled('errors', this.#random)
    const trouble = this.#scenario.api.find(({ what, fromMs, toMs, share }) => {
      if (atMs < fromMs || atMs >= toMs || atMs > this.#scenario.healAtMs) return false
      if ((what === 'unheard' || what === 'conflicts') && !isWrite) return false
      return this.#random.next() < share
    })
    return troubled(trouble?.what, this.#random)
  }
}
