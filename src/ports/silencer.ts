interface SilenceAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface NewSilence extends SilenceAddress {
  /** The silence that is renewed; absent: a new one. */
  readonly id?: string
  readonly matchers: readonly { readonly name: string; readonly value: string; readonly isRegex: boolean }[]
  /** ISO 8601. */
  readonly startsAt: string
  readonly endsAt: string
  readonly comment: string
}

export interface Silencer {
  /** Its id. Rejects with WorldError (code SILENCE_GONE where there is no silence of the given id), or with the signal's reason. */
  put(silence: NewSilence, signal: AbortSignal): Promise<string>
  /** Ends it; one that is not there has ended. Rejects likewise. */
  expire(silence: SilenceAddress & { readonly id: string }, signal: AbortSignal): Promise<void>
}
