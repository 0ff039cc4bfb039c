import type { StampedEvent } from '../../../../src/roll/model/roll-event.ts'
import type { Step } from '../../../../src/roll/model/step.ts'
import type { EngineProcess } from '../engine-process.ts'

/** A step of a node as one process says that it goes. */
export interface StepUnderWay {
  /** No other step under way, now or later, has this number. */
  readonly id: number
  readonly roll: string
  readonly node: string
  readonly step: Step
}

type StepListener = (when: 'begins' | 'ends', underWay: StepUnderWay) => void

/** Which step of which roll goes now, by the events that processes tell. */
export class StepWatch {
  readonly #underWay = new Map<string, StepUnderWay>()
  readonly #listeners: StepListener[] = []
  #ids = 0

  follow(roll: string, process: EngineProcess): void {
    process.listen((event) => this.#take(roll, event))
    void process.ended.catch(() => undefined).then(() => this.#underWay.delete(roll))
  }

  /** Of one roll, or of all. */
  now(roll?: string): readonly StepUnderWay[] {
    const all = [...this.#underWay.values()]
    return roll === undefined ? all : all.filter((one) => one.roll === roll)
  }

  listen(listener: StepListener): void {
    this.#listeners.push(listener)
  }

  #take(roll: string, event: StampedEvent): void {
    if (event.type === 'step.started') {
      this.#ids += 1
      const underWay = { id: this.#ids, roll, node: event.node, step: event.step }
      this.#underWay.set(roll, underWay)
      for (const listener of this.#listeners) listener('begins', underWay)
    }
    if (event.type === 'step.ended') {
      const ended = this.#underWay.get(roll)
      if (ended === undefined) return
      for (const listener of this.#listeners) listener('ends', ended)
      this.#underWay.delete(roll)
    }
  }
}
