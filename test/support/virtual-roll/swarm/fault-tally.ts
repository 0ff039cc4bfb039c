import { type Fault, faultName } from './fault.ts'
import type { StepUnderWay, StepWatch } from './step-watch.ts'
import type { WorldFault } from './world-fault.ts'

type Event = Fault | WorldFault

/** How often each fault really happened while each step was under way: `STEP FAULT` to a number. */
export type CellCounts = Readonly<Record<string, number>>

/**
 * Counts a fault once in each step under way in which it did something: a request was refused, an entry was slow, a
 * process was killed. A fault that lasts without being asked for anything counts in each step that begins meanwhile.
 */
export class FaultTally {
  readonly #steps: StepWatch
  readonly #counts = new Map<string, number>()
  readonly #seen = new Map<Event, Set<number>>()
  readonly #lasting = new Map<Event, () => boolean>()

  constructor(steps: StepWatch) {
    this.#steps = steps
    steps.listen((when, underWay) => {
      if (when === 'ends') return
      for (const [fault, holds] of this.#lasting) if (holds()) this.#count(fault, underWay)
    })
  }

  get counts(): CellCounts {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** `roll`: the roll that it happened to, where it did not happen to the world. */
  happened(fault: Event, roll?: string): void {
    for (const underWay of this.#steps.now(roll)) this.#count(fault, underWay)
  }

  /** It goes on while that holds. */
  lasts(fault: Event, holds: () => boolean): void {
    this.#lasting.set(fault, holds)
    if (holds()) this.happened(fault)
  }

  #count(fault: Event, { id, step }: StepUnderWay): void {
    const seen = this.#seen.get(fault) ?? new Set()
    this.#seen.set(fault, seen)
    if (seen.has(id)) return
    seen.add(id)
    const cell = `${step} ${faultName(fault)}`
    this.#counts.set(cell, (this.#counts.get(cell) ?? 0) + 1)
  }
}
