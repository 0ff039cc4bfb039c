import { judge } from '../decide/judge.ts'
import type { AnySnapshot } from '../decide/subject.ts'
import type { Verdict } from '../model/verdict.ts'
import type { EventLog } from './event-log.ts'
import { giveVerdict, type RunState, verdictFor } from './run-state.ts'

interface PassVerdictParts {
  readonly run: RunState
  readonly events: EventLog
}

/** The verdict that the passes over one node or machine come to: of the whole roll, or of this one alone. */
export class PassVerdict {
  readonly #parts: PassVerdictParts
  readonly #name: string
  /** The work on this one is over, and the roll is not. */
  #own: Verdict | undefined

  constructor(name: string, parts: PassVerdictParts) {
    this.#name = name
    this.#parts = parts
  }

  get own(): Verdict | undefined {
    return this.#own
  }

  /** What it is for this one. */
  get now(): Verdict | undefined {
    return verdictFor(this.#parts.run, this.#name) ?? this.#own
  }

  /** The snapshot with the verdict that it leads to. */
  judged<S extends AnySnapshot>(s: S): S {
    const verdict = judge(s)
    if (verdict === undefined || verdict === s.run.verdict) return s
    if (verdict.ofNode === true) this.#giveUp(verdict)
    else this.give(verdict)
    return { ...s, run: { ...s.run, verdict } }
  }

  give(verdict: Verdict | undefined): void {
    const { run, events } = this.#parts
    if (verdict !== undefined) giveVerdict(run, { node: this.#name, verdict }, events)
  }

  /** The world tells a new process as much, so that the journal has it for people alone. */
  #giveUp(verdict: Verdict): void {
    this.#own = verdict
    for (const { text } of verdict.reasons) this.#parts.events.emit({ type: 'warning', text, node: this.#name })
  }
}
