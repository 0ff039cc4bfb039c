import type { DnsFault } from './dns-faults.ts'

/** A fault for as long as it was there. */
interface FaultSpan {
  readonly fault: DnsFault
  readonly fromMs: number
  /** Absent: it is there. */
  toMs?: number
}

/** What is at fault now, what was, and when something changed that checks may be late to see. */
export class FaultBoard {
  readonly active = new Set<DnsFault>()
  readonly spans: FaultSpan[] = []
  readonly #changes: number[] = []
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  begin(fault: DnsFault): void {
    this.active.add(fault)
    this.spans.push({ fault, fromMs: this.#nowMs() })
    this.changed()
  }

  end(fault: DnsFault): void {
    this.active.delete(fault)
    const span = this.spans.find((one) => one.fault === fault)
    if (span !== undefined) span.toMs = this.#nowMs()
    this.changed()
  }

  changed(): void {
    this.#changes.push(this.#nowMs())
  }

  /** Nothing changed in that time. */
  isSteady(fromMs: number, toMs: number): boolean {
    return !this.#changes.some((at) => at >= fromMs && at <= toMs)
  }

  /** Those that were there at some moment of that time. */
  within(fromMs: number, toMs: number): readonly DnsFault[] {
    return this.spans.filter((span) => span.fromMs <= toMs && (span.toMs ?? toMs) >= fromMs).map(({ fault }) => fault)
  }

  /** Those that were there for all of that time. */
  throughout(fromMs: number, toMs: number): readonly DnsFault[] {
    return this.spans.filter((span) => span.fromMs <= fromMs && (span.toMs ?? toMs) >= toMs).map(({ fault }) => fault)
  }
}
