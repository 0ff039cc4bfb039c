import type { Finding } from '../../ground/model/finding.ts'

/** Offsets into a text, end excluded. */
export type Span = readonly [start: number, end: number]

/** One thing that is wrong in a file, and where. */
export interface FileFinding extends Finding {
  readonly span: Span
  /** What would be right, in a few words beside the caret. */
  readonly hint?: string
}

/** One field of a roll file that contradicts a run; the reader of the file knows where the field is written. */
export interface SpecFinding extends Omit<FileFinding, 'code' | 'span'> {
  /** `['spec', 'balancers', 0, 'instances']`. */
  readonly path: readonly (string | number)[]
}
