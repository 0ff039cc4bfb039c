import type { Span } from './source-text.ts'

/** One thing that is wrong in a file, and where. */
export interface Finding {
  /** A stable name: `config.duration`. */
  readonly code: string
  /** What is wrong, one sentence without a full stop. */
  readonly text: string
  readonly span: Span
  /** What would be right, in a few words beside the caret. */
  readonly hint?: string
  /** What to write instead. */
  readonly fix?: string
}
