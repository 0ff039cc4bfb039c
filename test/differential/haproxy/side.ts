import type { Health } from './drawn-step.ts'

/** Who answered one request, or how it ended. */
export interface Answered {
  /** The server; none where the balancer itself answered. */
  readonly from: string | undefined
  /** `refused`: nothing listened. */
  readonly status: number | 'closed' | 'refused'
  /** The cookie that the client was given. */
  readonly cookie: string | undefined
}

/** A balancer with its servers, their agents and its clients, in one of the two worlds. */
export interface Side {
  command(line: string): Promise<string>
  sayHealth(server: string, to: Health): void
  sayAgent(server: string, line: string): void
  ask(backend: string, cookie?: string): Promise<Answered>
  /** A client begins a request that its server holds. */
  hold(backend: string, cookie?: string): Promise<void>
  /** Servers answer what they hold. */
  release(): void
  /** How requests that were held have ended so far, and how many each server holds. */
  held(): { readonly ended: readonly string[]; readonly waiting: readonly number[] }
  reload(options: { readonly keepsStates: boolean }): Promise<void>
}

/** How a client names the server that it knows. */
export const sent = (cookie: string | undefined): string | undefined =>
  cookie === undefined ? undefined : `SRV=${cookie}`
