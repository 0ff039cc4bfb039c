/** The client that asks, as the socket tells. */
export interface Caller {
  readonly address: string
  readonly port: number
}

/** Of a request whose head has been read; a body is never looked at. */
interface PageRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly target: string
  readonly caller: Caller
}

export interface Page {
  readonly status: number
  /** Of the status line; absent: the one that goes with the status (RFC 9110, 15). */
  readonly reason?: string
  readonly contentType: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** It neither throws nor rejects, and what health checks ask for is answered from memory, at once. */
export type PageOf = (request: PageRequest) => Page | Promise<Page>
