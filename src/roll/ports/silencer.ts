interface SilenceAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** The content of a silence; no two nodes, and no two runs, have the same. */
export interface SilenceText extends SilenceAddress {
  readonly matchers: readonly { readonly name: string; readonly value: string; readonly isRegex: boolean }[]
  readonly comment: string
}

export interface NewSilence extends SilenceText {
  /** The id of the silence to renew; absent: a new silence. */
  readonly id?: string
  /** ISO 8601. */
  readonly startsAt: string
  readonly endsAt: string
}

export interface Silencer {
  /**
   * Returns its id. Rejects with WorldError, or with the signal's reason. Codes: SILENCE_GONE where there is no silence with
   * this id, SILENCE_REFUSED where none was made; after any other code, a silence may have been made.
   */
  put(silence: NewSilence, signal: AbortSignal): Promise<string>
  /** Ids of the silences with that text that have not ended. Rejects likewise. */
  find(silence: SilenceText, signal: AbortSignal): Promise<readonly string[]>
  /** Ends it; a silence that does not exist has ended. Rejects likewise. */
  expire(silence: SilenceAddress & { readonly id: string }, signal: AbortSignal): Promise<void>
}
