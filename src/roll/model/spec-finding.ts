/** A fault in one field of a roll file, for this run; the reader of the file knows the line of the field. */
export interface SpecFinding {
  /** `['spec', 'balancers', 0, 'instances']`. */
  readonly path: readonly (string | number)[]
  /** One sentence without a full stop. */
  readonly text: string
  /** A few words beside the place. */
  readonly hint?: string
  readonly fix: string
}
