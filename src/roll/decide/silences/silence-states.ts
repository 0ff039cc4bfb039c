/** How the silence of one name stands. */
export type SilenceState =
  | { readonly kind: 'standing' }
  /** It could not be made or renewed. */
  | { readonly kind: 'failed'; readonly text: string }

/** What this process knows of silences. They are made and renewed beside the passes. */
export interface SilenceStates {
  /** The node or machine that they are for; absent: none stands for any. */
  readonly node?: string
  /** Name → how it stands; one that is not here is being asked for. */
  readonly states: Readonly<Record<string, SilenceState>>
}
