import { UserError } from '../../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import type { Verdict } from '../../../../src/roll/model/verdict.ts'
import type { Scene } from '../checkers/scene.ts'
import type { EngineProcess } from '../engine-process.ts'
import { ABORTED, operateRoll } from '../operate-roll.ts'
import { putBackLost, resumeBy } from '../take-up.ts'
import type { VirtualRoll } from '../virtual-roll.ts'

interface SeedOperatorParts {
  readonly scene: Scene
  readonly roll: VirtualRoll
  /** Another roll by the same file, for what is left when the journal of the first is lost. */
  readonly rollAgain: () => VirtualRoll
  /** The file of `resume -f`. */
  readonly amendedFile: string
  readonly pauseMs: () => number
  readonly word: (ends: number) => 'resume' | 'abort'
  readonly onProcess: (roll: VirtualRoll, process: EngineProcess) => void
}

const AGAIN_AFTER_MS = 5_000
const NEVER = new AbortController().signal

/** People who see the first roll of a seed through, whatever becomes of its processes and of its journal. */
export class SeedOperator {
  readonly #parts: SeedOperatorParts
  #roll: VirtualRoll
  #running: EngineProcess | undefined
  #next: 'resume' | 'amended' | 'journalLost' = 'resume'
  #wasLost = false

  constructor(parts: SeedOperatorParts) {
    this.#parts = parts
    this.#roll = parts.roll
  }

  kill(next: 'resume' | 'amended' | 'journalLost'): void {
    if (next !== 'resume' && this.#running !== undefined) this.#next = next
    this.#running?.kill()
  }

  async operate(first: EngineProcess): Promise<void> {
    await this.#operate(first)
    while (this.#wasLost) {
      this.#wasLost = false
      this.#roll = this.#parts.rollAgain()
      await this.#operate(await begunInTheEnd(this.#roll, this.#parts.scene))
    }
  }

  async #operate(first: EngineProcess): Promise<void> {
    const { pauseMs, word, onProcess } = this.#parts
    const roll = this.#roll
    await operateRoll({
      roll,
      first,
      pauseMs,
      word,
      onProcess: (process) => {
        this.#running = process
        onProcess(roll, process)
      },
      takeUp: (verdict) => this.#takeUp(roll, verdict),
    })
    this.#running = undefined
  }

  async #takeUp(roll: VirtualRoll, verdict: Verdict | undefined): Promise<EngineProcess | undefined> {
    const next = this.#next
    this.#next = 'resume'
    if (next === 'journalLost') {
      this.#wasLost = true
      this.#parts.scene.lostRuns.add(roll.restoresAs ?? roll.run)
      return answered(roll, () => putBackLost(roll, ABORTED))
    }
    // What was begun to put back a lost run can only be ended.
    if (this.#wasLost) return roll.resume(ABORTED)
    if (next === 'resume' || verdict !== undefined) return roll.resume(verdict)
    try {
      return await resumeBy(roll, this.#parts.amendedFile)
    } catch (error) {
      if (!(error instanceof UserError || error instanceof WorldError)) throw error
      return roll.resume()
    }
  }
}

/** Begins as soon as no error stands in the plan. */
export async function begunInTheEnd(roll: VirtualRoll, scene: Scene): Promise<EngineProcess> {
  const first = await answered(roll, () => roll.begun())
  scene.rolls += 1
  return first
}

/** Asked again until it is answered: by an API that cannot be reached, or by a plan with errors in it. */
async function answered<T>({ cluster }: VirtualRoll, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof UserError || error instanceof WorldError)) throw error
      await cluster.time.sleep(AGAIN_AFTER_MS, NEVER)
    }
  }
}
