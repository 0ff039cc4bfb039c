import type { JournalEntry } from '../../../../src/roll/ports/journal.ts'
import type { Change } from '../../../../src/sim/world/store.ts'
import type { EngineRequest } from '../engine-request.ts'

/** Which roll asks, by its run's name. */
export interface Asked {
  readonly run: string
  readonly request: EngineRequest
}

/** An entry of a journal that is on disk. */
interface Journaled {
  readonly run: string
  readonly entry: JournalEntry
}

/** Looks at the world alone, and tells the scene what must never be. */
export interface Checker {
  /** A pod or a Lease was written. */
  readonly onChange?: (change: Change) => void
  /** Right before the world does what a process asked for. */
  readonly onAsked?: (asked: Asked) => void
  /** Right after. */
  readonly onDone?: (asked: Asked, code: number) => void
  /** An entry was synced. */
  readonly onJournaled?: (journaled: Journaled) => void
  /** Every tenth of a second. */
  readonly onLook?: () => void
  /** Everything is over that should be. */
  readonly atEnd?: () => void
}
