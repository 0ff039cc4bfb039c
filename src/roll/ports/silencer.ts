interface SilenceAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** What a silence says; no two nodes, and no two runs, have the same. */
export interface SilenceText extends SilenceAddress {
  readonly matchers: readonly { readonly name: string; readonly value: string; readonly isRegex: boolean }[]
  readonly comment: string
}

export interface NewSilence extends SilenceText {
  /** The silence that is renewed; absent: a new one. */
  readonly id?: string
  /** ISO 8601. */
  readonly startsAt: string
  readonly endsAt: string
}

export interface Silencer {
  /**
   * Its id. Rejects with WorldError, or with the signal's reason. Codes: SILENCE_GONE where there is no silence of the given id,
   * SILENCE_REFUSED where none was made; after any other one, a silence may have been made.
   */
  put(silence: NewSilence, signal: AbortSignal): Promise<string>
  /** Ids of the silences with that text that have not ended. Rejects likewise. */
  find(silence: SilenceText, signal: AbortSignal): Promise<readonly string[]>
  /** Ends it; one that is not there has ended. Rejects likewise. */
  expire(silence: SilenceAddress & { readonly id: string }, signal: AbortSignal): Promise<void>
}
