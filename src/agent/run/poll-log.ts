import type { MonoMs } from '../../ground/model/time.ts'
import type { Caller } from '../../ground/ports/http-door.ts'
import type { Answer } from '../../service/model/answer.ts'

/** Of one address: balancers have several checkers behind one, and a person with curl is one, too. */
export interface Polls {
  readonly address: string
  /** The port of the last poll. */
  readonly port: number
  readonly at: MonoMs
  readonly answer: Answer
  /** All polls, and those since the answer is the present one. */
  readonly total: number
  readonly sinceAnswer: number
}

/** More addresses than any fleet of balancers has; beyond it the address with the oldest poll is dropped. */
const ADDRESSES_MAX = 256

/** The clients that asked for the answer, and the answer that each got. */
export class PollLog {
  readonly #polls = new Map<string, Polls>()

  noted({ address, port }: Caller, answer: Answer, at: MonoMs): void {
    const before = this.#polls.get(address)
    // Added anew, so that the order is that of the last polls.
    this.#polls.delete(address)
    this.#polls.set(address, {
      address,
      port,
      at,
      answer,
      total: (before?.total ?? 0) + 1,
      sinceAnswer: (before?.sinceAnswer ?? 0) + 1,
    })
    if (this.#polls.size <= ADDRESSES_MAX) return
    for (const oldest of this.#polls.keys()) {
      this.#polls.delete(oldest)
      return
    }
  }

  /** The answer changes now: polls before do not count for it, whatever their answer was. */
  answerChanged(): void {
    for (const [address, polls] of this.#polls) this.#polls.set(address, { ...polls, sinceAnswer: 0 })
  }

  /** In the order of their last polls. */
  all(): readonly Polls[] {
    return [...this.#polls.values()]
  }
}
