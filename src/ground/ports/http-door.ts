/** The client, by its socket. */
export interface Caller {
  readonly address: string
  readonly port: number
}

/** A request whose head was read; its body is ignored. */
interface PageRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly target: string
  readonly caller: Caller
}

export interface Page {
  readonly status: number
  /** The reason in the status line; absent: the usual one for the status (RFC 9110, 15). */
  readonly reason?: string
  readonly contentType: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** It neither throws nor rejects; answers for health checks come from memory, at once. */
export type PageOf = (request: PageRequest) => Page | Promise<Page>
