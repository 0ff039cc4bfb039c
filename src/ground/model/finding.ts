import type { Sentence } from './sentence.ts'

/** One thing that is wrong, or worth a word, in a file, an object, a plan, a node or DNS. Each of these adds where it is. */
export interface Finding {
  /** The same for the same cause: `config.duration`, `BudgetNever`, `tooMany`. */
  readonly code: string
  /** One sentence without a full stop. */
  readonly text: string
  /** What helps: a change to make, or a command. */
  readonly fix?: Sentence
}
