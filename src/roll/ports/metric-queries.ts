export interface MetricQuestion {
  /** Base of the Prometheus API, without `/api/v1`. */
  readonly url: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** `why` is one line, safe to show. */
export type MetricAnswer =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'unknown'; readonly why: string }

export interface MetricQueries {
  /** The one value of an instant query. Rejects only with the signal's reason. */
  instant(question: MetricQuestion, signal: AbortSignal): Promise<MetricAnswer>
}
