import type { Agent } from 'node:http'

/** The address of the API server and the present credentials. */
export interface Connection {
  /** May have a path, which precedes the path of every request. */
  readonly server: URL
  /** The proxy, if there is one. */
  readonly proxy?: URL
  /** Keeps connections open between requests. */
  readonly agent: Agent
  readonly headers: Readonly<Record<string, string | string[]>>
  /** PEM, where one is used. */
  readonly clientCertificate?: string | Buffer
}
