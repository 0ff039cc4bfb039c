/** One field of a roll file that a run stands against; the reader of the file knows where the field is written. */
export interface SpecFinding {
  /** `['spec', 'balancers', 0, 'instances']`. */
  readonly path: readonly (string | number)[]
  /** One sentence without a full stop. */
  readonly text: string
  /** A few words beside the place. */
  readonly hint?: string
  readonly fix: string
}
