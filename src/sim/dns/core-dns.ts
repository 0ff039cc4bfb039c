import type { Clock } from '../../ground/ports/clock.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import { answerMessage, failedMessage } from './answer-message.ts'
import type { ClusterZone, ZoneAnswer, ZoneQuestion } from './cluster-zone.ts'

interface CoreDnsParts {
  readonly zone: Pick<ClusterZone, 'answer' | 'end'>
  readonly timers: Timers
  /** What the servers that it forwards to answer; undefined: they are silent. */
  readonly outside: (query: Buffer) => Buffer | undefined
  /** For plugin `cache`, which keeps what the zone answered. Absent: there is none. */
  readonly cache?: Pick<Clock, 'monoMs'>
}

/** As long as plugin `forward` tries. */
const FORWARDS_FOR_MS = 5_000
/** `cache 30`, and what the plugin takes for failures (plugin/cache, defaultCap and failttl). */
const KEPT_MS = { answer: 30_000, failure: 5_000 }
const NAMES_MAX = 9_984

/** Undefined: it answers nothing. */
type Answered = (reply: Buffer | undefined) => void

/** One process of CoreDNS with its plugins, whatever its messages travel by. */
export class CoreDns {
  readonly #parts: CoreDnsParts
  /** Of queries that wait for a server outside. */
  readonly #waits = new Set<() => void>()
  readonly #kept = new Map<string, { readonly answer: ZoneAnswer; readonly untilMs: number }>()

  constructor(parts: CoreDnsParts) {
    this.#parts = parts
  }

  answer(query: Buffer, answered: Answered): void {
    const { outside } = this.#parts
    const reply = answerMessage({ answer: (question) => this.#answerOf(question) }, query)
    if (reply !== 'others') {
      answered(reply)
      return
    }
    const passedOn = outside(query)
    if (passedOn === undefined) this.#fail(query, answered)
    else answered(passedOn)
  }

  end(): void {
    this.#parts.zone.end()
    for (const callOff of this.#waits) callOff()
    this.#waits.clear()
  }

  #answerOf(question: ZoneQuestion): ZoneAnswer | undefined {
    const { zone, cache } = this.#parts
    if (cache === undefined) return zone.answer(question)
    const { name, type, class: ofClass } = question
    const key = `${name} ${type} ${ofClass}`
    const now = cache.monoMs()
    const known = this.#kept.get(key)
    if (known !== undefined && now < known.untilMs) return known.answer
    const answer = zone.answer(question)
    if (answer === undefined || answer.rcode === 'REFUSED') return answer
    if (this.#kept.size >= NAMES_MAX) this.#kept.clear()
    this.#kept.set(key, { answer, untilMs: now + KEPT_MS[answer.rcode === 'SERVFAIL' ? 'failure' : 'answer'] })
    return answer
  }

  #fail(query: Buffer, answered: Answered): void {
    const callOff = this.#parts.timers.later(FORWARDS_FOR_MS, () => {
      this.#waits.delete(callOff)
      answered(failedMessage(query))
    })
    this.#waits.add(callOff)
  }
}
