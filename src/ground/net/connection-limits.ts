import type { Server, Socket } from 'node:net'
import type { Timers } from '../ports/timers.ts'

export interface ConnectionLimits {
  /** Open connections at the same time, in all and from one address. */
  readonly total: number
  readonly perAddress: number
  /** The longest life of a connection, whatever is sent over it. */
  readonly lifeMs: number
}

/** Health checks take milliseconds; a hundred balancers with ten checkers each are served at once. */
export const HEALTH_CHECK_LIMITS: ConnectionLimits = { total: 1_024, perAddress: 128, lifeMs: 5_000 }

/**
 * Limits the connections of a server in number and time. Where there are too many the oldest is closed, so that the newest gets
 * its answer: a check takes milliseconds, so an old connection is idle or slow. Returns how many were closed.
 */
export function limitConnections(server: Server, timers: Timers, limits: ConnectionLimits): () => number {
  const byAddress = new Map<string, Set<Socket>>()
  let total = 0
  let dropped = 0
  const drop = (sockets: Iterable<Socket>): void => {
    const [oldest] = sockets
    dropped += 1
    oldest?.destroy()
  }
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const mine = byAddress.get(address) ?? new Set()
    byAddress.set(address, mine)
    mine.add(socket)
    total += 1
    const callOff = timers.later(limits.lifeMs, () => socket.destroy())
    socket.once('close', () => {
      callOff()
      total -= 1
      mine.delete(socket)
      if (mine.size === 0) byAddress.delete(address)
    })
    if (mine.size > limits.perAddress) drop(mine)
    else if (total > limits.total) drop(largest(byAddress))
  })
  return () => dropped
}

/** The connections of the address that has most. */
function largest(byAddress: ReadonlyMap<string, Set<Socket>>): Set<Socket> {
  let found = new Set<Socket>()
  for (const sockets of byAddress.values()) if (sockets.size > found.size) found = sockets
  return found
}
