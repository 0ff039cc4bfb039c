import type { InputGround } from './input-ground.ts'

/** One kind of wrong input: how it is given, and what must be said of it. */
export interface InputRow {
  readonly title: string
  /** What follows `evenkeel`; `-o json` is added. */
  readonly words: (ground: InputGround) => readonly string[]
  /** In place of the kubeconfig of the identity that is shipped. */
  readonly kubeconfig?: (ground: InputGround) => string | Promise<string>
  /** What lies in the state directory before. */
  readonly journals?: (ground: InputGround) => readonly StoredJournal[]
  /** Code of the JSON document on stdout; absent where nothing stands there. */
  readonly code?: string
  /** What stderr names, literally. */
  readonly names: readonly string[]
  /** What stderr says to do, literally. */
  readonly fix: string
  /** What stderr must not say, since it would mislead. */
  readonly never?: readonly string[]
}

/** The journal of one run in the state directory. */
export interface StoredJournal {
  readonly run: string
  readonly text: string
  /** Held as by a process that works on the run. */
  readonly inUse?: boolean
}

/** A roll that nobody is asked about: whatever is not refused, happens. */
export const begun = (file: string, ...words: readonly string[]): readonly string[] => [
  'roll',
  '-f',
  file,
  '--yes',
  ...words,
]
