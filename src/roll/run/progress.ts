import { isProgress, type Reason } from '../../ground/model/reason.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { RollEvent } from '../model/roll-event.ts'
import { STEPS, type Step } from '../model/step.ts'
import type { EventLog } from './event-log.ts'

/** Texts contain counters, which change with every request: each report is a line and a sync of the journal. */
const TEXT_EVERY_MS = 10_000

interface ProgressParts {
  readonly events: Pick<EventLog, 'emit'>
  readonly clock: Clock
}

/** A hold as it was reported last: by codes and objects, and as text. */
interface Held {
  readonly what: string
  readonly text: string
  readonly at: MonoMs
}

/** The part of a decision that is reported. */
type Reported =
  | { readonly kind: 'act' | 'hold'; readonly step: Step; readonly reasons: readonly Reason[] }
  | { readonly kind: 'settled'; readonly reasons: readonly Reason[] }

/** Turns decisions into events: steps that start and end, what they wait for, holds that start, change and end. */
export class Progress {
  readonly #parts: ProgressParts
  readonly #node: string
  #step: Step | undefined
  #held: Held | undefined
  /** Reported last of this step while no hold is on. */
  #waits: Held | undefined

  constructor(node: string, parts: ProgressParts) {
    this.#node = node
    this.#parts = parts
  }

  get step(): Step | undefined {
    return this.#step
  }

  /** `limitMs`: what is left of the wait; absent where there is no limit. */
  decided(
    decision: Reported,
    { onTheWay, limitMs }: { readonly onTheWay: boolean; readonly limitMs?: number | undefined },
  ): void {
    if (decision.kind === 'settled') {
      this.#end(decision.reasons)
      return
    }
    if (decision.step !== this.#step) this.#enter(decision.step, decision.reasons, onTheWay)
    this.#hold(decision, limitMs)
  }

  #enter(step: Step, reasons: readonly Reason[], onTheWay: boolean): void {
    const from = this.#step
    this.#end(reasons)
    const skipped = from === undefined ? -1 : STEPS.indexOf(from)
    const passed = onTheWay && from !== undefined ? STEPS.slice(skipped + 1, STEPS.indexOf(step)) : []
    for (const done of passed) {
      this.#emit({ type: 'step.started', node: this.#node, step: done, reasons: [nothingToDo] })
      this.#emit({ type: 'step.ended', node: this.#node, step: done, reasons: [nothingToDo] })
    }
    this.#step = step
    this.#waits = undefined
    this.#emit({ type: 'step.started', node: this.#node, step, reasons })
  }

  #end(reasons: readonly Reason[]): void {
    this.#endHold()
    if (this.#step !== undefined) this.#emit({ type: 'step.ended', node: this.#node, step: this.#step, reasons })
    this.#step = undefined
  }

  #hold(decision: Exclude<Reported, { kind: 'settled' }>, limitMs: number | undefined): void {
    const reasons = decision.kind === 'hold' ? decision.reasons.filter((reason) => !isProgress(reason)) : []
    if (reasons.length === 0) {
      if (decision.kind === 'hold') {
        this.#endHold()
        this.#wait(decision)
      }
      return
    }
    const held = { ...wordsOf(reasons), at: this.#parts.clock.monoMs() }
    if (this.#held !== undefined && !isNews(held, this.#held)) return
    const type = this.#held === undefined ? 'hold.started' : 'hold.changed'
    this.#held = held
    this.#waits = undefined
    const limit = limitMs === undefined ? {} : { limitMs: Math.round(limitMs) }
    this.#emit({ type, node: this.#node, step: decision.step, reasons, ...limit })
  }

  /** Its objects change with every pod that leaves, so they are news as seldom as its text. */
  #wait({ step, reasons }: Pick<Exclude<Reported, { kind: 'settled' }>, 'step' | 'reasons'>): void {
    const [first] = reasons
    if (first === undefined) return
    const waits = { what: first.code, text: wordsOf(reasons).text, at: this.#parts.clock.monoMs() }
    if (this.#waits !== undefined && !isNews(waits, this.#waits)) return
    this.#waits = waits
    this.#emit({ type: 'step.waits', node: this.#node, step, reasons })
  }

  #emit(event: RollEvent): void {
    this.#parts.events.emit(event)
  }

  #endHold(): void {
    if (this.#held === undefined || this.#step === undefined) return
    this.#held = undefined
    this.#emit({ type: 'hold.ended', node: this.#node, step: this.#step })
  }
}

const wordsOf = (reasons: readonly Reason[]): Omit<Held, 'at'> => ({
  what: reasons.map(({ code, object = '' }) => `${code} ${object}`).join('\n'),
  text: reasons.map(({ text }) => text).join('\n'),
})

const isNews = (now: Held, reported: Held): boolean =>
  now.what !== reported.what || (now.text !== reported.text && now.at - reported.at >= TEXT_EVERY_MS)

const nothingToDo: Reason = { code: 'NothingToDo', text: 'it was done already' }
