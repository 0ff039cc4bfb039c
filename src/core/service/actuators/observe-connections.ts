import { hasRebooted, ownIntent, type RecordedSnapshot } from '../../roll/node-snapshot.ts'
import { byServer } from '../by-server.ts'
import type { NodeServer } from '../node-servers.ts'
import type { ConnectionsEnd } from './connections-end.ts'
import { connectionsEndOf } from './health-endpoint.ts'

/**
 * How each wait for connections ended first; anew where some come before the limit is over. Once the reboot is announced it
 * stays as it is: then they end with the machine.
 */
export const observeConnections = (s: RecordedSnapshot): Readonly<Record<string, ConnectionsEnd>> =>
  ownIntent(s) !== undefined || hasRebooted(s)
    ? s.evidence.connectionsEnded
    : byServer(s, s.evidence.connectionsEnded, (server, before) => seen(s, server, before))

/** An agent that is not heard counts nothing, and nothing is begun anew by that. */
function seen(s: RecordedSnapshot, server: NodeServer, before: ConnectionsEnd | undefined): ConnectionsEnd | undefined {
  const now = connectionsEndOf(s, server)
  const isHeard = server.reading?.endpoint?.heard === true
  return isHeard && now === undefined ? undefined : (before ?? now)
}
