import type { RollHistory } from '../../roll/cli/roll-actions.ts'

/** The directory of runs, and the run; absent: the newest. */
interface BundleRequest {
  readonly stateDir?: string
  readonly run?: string
}

/** The unchanged files of a run, with secrets. */
interface StoredFiles {
  readonly run: string
  readonly journal: string
  /** Absent: there is no such file. */
  readonly latency?: string
  /** Absent: the journal cannot be read; `problem` says why. */
  readonly history?: RollHistory
  readonly problem?: string
}

export interface BundledFile {
  readonly path: string
  readonly text: string
}

export interface BundleActions {
  /** Rejects with UserError where there is no such run. */
  readonly read: (request: BundleRequest) => Promise<StoredFiles>
  /** The program and the machine, without values of the environment. */
  readonly about: () => Readonly<Record<string, unknown>>
  /** Resolves with the size in bytes. Rejects with UserError where the file exists. */
  readonly write: (path: string, files: readonly BundledFile[], atMs: number) => Promise<number>
}

export interface BundleFlags {
  readonly stateDir?: string
  readonly to?: string
  readonly output: 'text' | 'json'
}
