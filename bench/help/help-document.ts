/** What `bench/help.ts` found; times in order of length. */
export interface HelpDocument {
  readonly bench: 'help'
  readonly timesMs: readonly number[]
  readonly medianMs: number
  /** `node -e 0`, in turns with the bundle. */
  readonly bareTimesMs: readonly number[]
  readonly bareMedianMs: number
  readonly goalMs: number
  readonly met: boolean
  readonly cores: number
  readonly loadAverage: number
}
