import type { Decision } from '../../model/decision.ts'
import type { Reason } from '../../model/reason.ts'
import type { RollEvent } from '../../model/roll-event.ts'
import { STEPS, type Step } from '../../model/step.ts'

/** Waits that are the step's own course: shown as progress, not as a hold. */
const IN_COURSE: ReadonlySet<string> = new Set([
  'BaselineShort',
  'BootIdNotPublished',
  'DaemonNotBack',
  'DataPortSilent',
  'HeartbeatOld',
  'InBalancer',
  'NotUpYet',
  'OneAtATime',
  'PodLeaving',
  'Rebooting',
  'ReplacementNotReady',
  'SessionsLeft',
  'SettledOnce',
  'Soaking',
  'StartupTaint',
  'VolumeAttached',
])

/** Turns decisions into steps that start and end, and holds that start, change and end. */
export class Progress {
  readonly #emit: (event: RollEvent) => void
  readonly #node: string
  #step: Step | undefined
  #held: string | undefined

  constructor(node: string, emit: (event: RollEvent) => void) {
    this.#node = node
    this.#emit = emit
  }

  get step(): Step | undefined {
    return this.#step
  }

  /** `limitMs`: what is left of the wait before it is given up; absent where nothing gives it up. */
  decided(decision: Decision, { onTheWay, limitMs }: { readonly onTheWay: boolean; readonly limitMs?: number }): void {
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
    this.#emit({ type: 'step.started', node: this.#node, step, reasons })
  }

  #end(reasons: readonly Reason[]): void {
    this.#endHold()
    if (this.#step !== undefined) this.#emit({ type: 'step.ended', node: this.#node, step: this.#step, reasons })
    this.#step = undefined
  }

  #hold(decision: Exclude<Decision, { kind: 'settled' }>, limitMs: number | undefined): void {
    const reasons = decision.kind === 'hold' ? decision.reasons.filter((reason) => !IN_COURSE.has(reason.code)) : []
    if (reasons.length === 0) {
      if (decision.kind === 'hold') this.#endHold()
      return
    }
    const key = reasons.map((reason) => `${reason.code} ${reason.object} ${reason.text}`).join('\n')
    if (key === this.#held) return
    const type = this.#held === undefined ? 'hold.started' : 'hold.changed'
    this.#held = key
    const limit = limitMs === undefined ? {} : { limitMs: Math.round(limitMs) }
    this.#emit({ type, node: this.#node, step: decision.step, reasons, ...limit })
  }

  #endHold(): void {
    if (this.#held === undefined || this.#step === undefined) return
    this.#held = undefined
    this.#emit({ type: 'hold.ended', node: this.#node, step: this.#step })
  }
}

const nothingToDo: Reason = { code: 'NothingToDo', text: 'it was so already' }
