import { createServer } from 'node:net'
import { HEALTH_CHECK_LIMITS, limitConnections } from '../../ground/net/connection-limits.ts'
import { type DoorParts, type OpenDoor, openDoor } from '../../ground/net/open-door.ts'
import type { Caller } from '../../ground/ports/http-door.ts'

/**
 * HAProxy's agent-check (configuration.txt 5.2, `agent-check`): each connection gets one line and no more. The text of
 * `agent-send` is ignored.
 */
export async function openAgentCheckDoor(
  { place, timers, limits }: DoorParts,
  lineOf: (caller: Caller) => string,
): Promise<OpenDoor> {
  const server = createServer((socket) => {
    // A caller that goes away meanwhile has got its line.
    socket.on('error', () => socket.destroy())
    socket.resume()
    socket.end(`${lineOf({ address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 })}\n`)
  })
  limitConnections(server, timers, limits ?? HEALTH_CHECK_LIMITS)
  return openDoor(server, { place, timers })
}
