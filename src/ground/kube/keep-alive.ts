import type { Agent } from 'node:http'

/** Below the 90 s after which an API server closes an idle connection, so that the client closes it first. */
const IDLE_CONNECTION_MS = 45_000
const TCP_KEEP_ALIVE_MS = 15_000

/** How connections to an API server are kept open, for any credential. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveMsecs: TCP_KEEP_ALIVE_MS, timeout: IDLE_CONNECTION_MS } as const

/**
 * A request got no answer in time: the other connections that wait in its pool may lead nowhere as well, after a balancer before the API
 * servers was replaced. The next request makes a new one, and does not wait for each of them in turn.
 */
export function dropIdleConnections(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}
