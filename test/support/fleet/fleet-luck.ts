import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { Passage } from '../../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../../src/sim/world/api-request.ts'
import type { EffectHook } from '../virtual-roll/process-ports.ts'
import type { FleetScenario } from './fleet-scenario.ts'

/** The slowest answer of the API. */
export const SLOWEST_MS = 1_500
/** Renewals come again and again, and would take all deaths. */
const RENEWAL = /^PUT .*leases/
const LUCK = { renewal: 0.006, other: 0.05 }

/** Which requests go wrong, and which process dies at which of its writes. */
export class FleetLuck {
  readonly #scenario: FleetScenario
  readonly #random: SeededRandom
  readonly #sinceMs: () => number
  #deathsLeft: number
  /** How often a process died there: `PATCH nodes, before`. */
  readonly deaths: Record<string, number> = {}

  constructor(scenario: FleetScenario, random: SeededRandom, sinceMs: () => number) {
    this.#scenario = scenario
    this.#random = random
    this.#sinceMs = sinceMs
    this.#deathsLeft = scenario.deaths
  }

  get isHealed(): boolean {
    return this.#sinceMs() >= this.#scenario.healAtMs
  }

  readonly onEffect: EffectHook = (effect, phase, lifeline) => {
    if (this.#deathsLeft === 0 || this.isHealed || lifeline.isDead) return
    if (this.#random.next() >= (RENEWAL.test(effect) ? LUCK.renewal : LUCK.other)) return
    this.#deathsLeft -= 1
    const at = `${kindOf(effect)}, ${phase}`
    this.deaths[at] = (this.deaths[at] ?? 0) + 1
    lifeline.cut()
  }

  readonly passageOf = (request: ApiRequest): Passage => {
    const now = this.#sinceMs()
    const isWrite = request.method !== 'GET'
    const trouble = this.#scenario.api.find(({ what, fromMs, toMs, share }) => {
      if (now < fromMs || now >= toMs) return false
      if ((what === 'unheard' || what === 'conflicts') && !isWrite) return false
      return this.#random.next() < share
    })
    return troubled(trouble?.what, this.#random)
  }
}

/** What becomes of a request in that trouble. */
export function troubled(what: FleetScenario['api'][number]['what'] | undefined, random: SeededRandom): Passage {
  switch (what) {
    case 'slow':
      return slow(random.between(50, SLOWEST_MS), random.next() < 0.5)
    case 'unheard':
      return { kind: 'unheard' }
    case 'away':
      return { kind: 'refused' }
    case 'errors':
      return answered(random.next() < 0.5 ? 500 : 429)
    case 'conflicts':
      return answered(409)
    case undefined:
      return { kind: 'passes' }
  }
}

/** Before it is carried out, or after. */
const slow = (ms: number, isAnswer: boolean): Passage => ({
  kind: 'passes',
  ...(isAnswer ? { answerLateMs: ms } : { lateMs: ms }),
})

function answered(code: number): Passage {
  const reason = code === 409 ? 'Conflict' : code === 429 ? 'TooManyRequests' : 'InternalError'
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'for now', reason, code }
  return { kind: 'answered', reply: { code, body } }
}

/** `PATCH nodes`, `POST eviction`, `set server`, `reboot`, `journal`. */
function kindOf(effect: string): string {
  const [verb = '', target = ''] = effect.split(' ', 2)
  if (!target.startsWith('/')) return effect.includes('set server') ? 'set server' : verb
  const path = (target.split('?', 1)[0] ?? '').split('/')
  const known = ['eviction', 'nodes', 'leases', 'configmaps', 'events']
  return `${verb} ${known.find((word) => path.includes(word)) ?? path.at(-1)}`
}
