import type { TestContext } from 'node:test'
import type { HaproxyBalancer } from '../../../src/service/actuators/haproxy/io/haproxy-balancer.ts'

/** What came back on a client's connection; `closed`: it was closed without an answer. */
export interface DoorAnswer {
  readonly status: number
  readonly closes: boolean
  /** The cookie that the balancer gave the client with it: `NAME=VALUE`. */
  readonly cookie?: string
}

export interface Pending {
  answer(): Promise<DoorAnswer | 'closed'>
}

/** One connection of a client to a frontend, one request at a time. */
export interface DoorClient {
  begin(path: string, cookie?: string): Pending
  isOpen(): Promise<boolean>
  close(): void
}

/**
 * A server of backend `web`. `/readyz` answers as told, `/hold` waits until released or cut, `/last` answers and closes,
 * all else answers 200 at once.
 */
export interface DoorOrigin {
  readonly waiting: number
  /** `hang`: no answer. `break`: the connection is closed instead. */
  sayHealth(health: number | 'hang' | 'break'): void
  release(): void
  /** Breaks the connections of what waits. */
  cut(): void
  /** Nothing listens any more, and nothing is open. */
  stop(): Promise<void>
}

/** What a backend beside `web` has, with the same two servers. */
export type DoorKind = 'sticky' | 'follow' | 'aside' | 'closing' | 'warming' | 'spare' | 'narrow' | 'asked'

/**
 * Frontends `web`, `dead` and `silent`, to the backends of the same name; the server of `dead` refuses, that of `silent`
 * says nothing, and neither is checked. Where it is asked for, backend `sticky` gives each client the cookie `SRV` with the
 * name of its server, the servers of `follow` track those of `web`, and the one server of `aside` is `a`, checked at the port
 * of `b`; `closing` has `option http-server-close`. The servers of `warming` have weight 100 and warm up for two seconds; in
 * `spare` server `b` is a backup; in `narrow`, whose clients have the cookie `SRV`, each server takes one request at once; in
 * `asked` the agent says how `a` is, which is not checked. The balancer may touch these too.
 */
export interface BalancerDoor {
  /** May touch `web` and `dead`; its instance is `lb-1`. */
  readonly balancer: HaproxyBalancer
  readonly a: DoorOrigin
  readonly b: DoorOrigin
  /** What the agent of server `a` of `asked` answers from now on; `ready up` at first. */
  sayAgent(line: string): void
  nowMs(): number
  command(line: string): Promise<string>
  client(frontend: DoorFrontend): Promise<DoorClient>
  /** `keepsStates`: what `show servers state` says is written to the state file just before. */
  reload(options?: { readonly keepsStates: boolean }): Promise<void>
  until(what: string, holds: () => Promise<boolean> | boolean): Promise<void>
}

type DoorFrontend = 'web' | 'dead' | 'silent' | DoorKind

export interface DoorOptions {
  /** What `a` says from the beginning. */
  readonly health?: number | 'hang'
  readonly hardStopAfterMs?: number
  /** Absent: as in TIMES. Short where a test waits for it to end. */
  readonly serverTimeoutMs?: number
  /** The server of `silent` is silent; else it refuses too, which costs less to set up. */
  readonly silent?: boolean
  readonly beside?: DoorKind
}

export type OpenBalancerDoor = (t: TestContext, options?: DoorOptions) => Promise<BalancerDoor>

/**
 * Of every door: short, so that a real one need not be waited for long. No request that a server holds ends by the timeout of
 * the server, however slow the machine is.
 */
export const TIMES = {
  interMs: 300,
  fall: 3,
  rise: 2,
  connectTimeoutMs: 300,
  clientTimeoutMs: 10_000,
  serverTimeoutMs: 20_000,
} as const
