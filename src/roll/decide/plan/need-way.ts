/** What one check says about the need of a machine. */
export interface NeedWay {
  readonly kind: 'needed' | 'none' | 'unknown'
  readonly text: string
  /** What a person can do where it is not known; absent: what the text says. */
  readonly fix?: string
  /** Another finding of the plan says so. */
  readonly isReported?: true
}
