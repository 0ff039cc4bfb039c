/** The state of the silence with one name. */
export type SilenceState =
  | { readonly kind: 'standing' }
  /** It could not be made or renewed. */
  | { readonly kind: 'failed'; readonly text: string }

/** The states of silences, by this process. They are made and renewed beside the passes. */
export interface SilenceStates {
  /** The node or machine that they are for; absent: there are none. */
  readonly node?: string
  /** By name; a silence that is missing is being requested. */
  readonly states: Readonly<Record<string, SilenceState>>
}
