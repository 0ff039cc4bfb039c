export interface Edit {
  /** From the root of the project. */
  readonly file: string
  /** Occurs exactly once. */
  readonly from: string
  readonly to: string
}

/** The engine with one thing wrong, which some checker must see. */
export interface Mutation {
  /** What the engine does then. */
  readonly name: string
  readonly edits: readonly Edit[]
}
