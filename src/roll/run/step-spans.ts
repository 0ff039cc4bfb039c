import { wallMs } from '../../ground/model/time.ts'
import type { StepSpan } from '../decide/availability/attribution.ts'
import type { RollEvent } from '../model/roll-event.ts'
import type { Step } from '../model/step.ts'

/** When each step of each node began and ended, from the events themselves. */
export class StepSpans {
  #spans: StepSpan[] = []
  readonly #latest = new Map<string, Step>()

  note(event: RollEvent & { readonly at: string }): void {
    if (event.type === 'step.started') {
      this.#latest.set(event.node, event.step)
      this.#spans.push({ node: event.node, step: event.step, startedAt: wallMs(Date.parse(event.at)) })
    }
    if (event.type === 'step.ended') this.#close(event.node, event.step, wallMs(Date.parse(event.at)))
  }

  all(): readonly StepSpan[] {
    return this.#spans
  }

  stepOf(node: string): Step | undefined {
    return this.#latest.get(node)
  }

  #close(node: string, step: Step, endedAt: StepSpan['startedAt']): void {
    this.#spans = this.#spans.map((span) =>
      span.node === node && span.step === step && span.endedAt === undefined ? { ...span, endedAt } : span,
    )
  }
}
