import type { Agent } from 'node:http'

/** Where the API server is and what it takes to be let in, at this moment. */
export interface Connection {
  /** May have a path, which goes before every request's own. */
  readonly server: URL
  /** By which it is reached, if by any. */
  readonly proxy?: URL
  /** Keeps connections open between requests. */
  readonly agent: Agent
  readonly headers: Readonly<Record<string, string>>
  /** PEM, where one is used. */
  readonly clientCertificate?: string | Buffer
}
