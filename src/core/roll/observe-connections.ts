import { serverKey } from '../../model/balancer.ts'
import type { ConnectionsEnd } from './connections-end.ts'
import { connectionsEndOf } from './endpoint-state.ts'
import { type NodeServer, nodeServers } from './node-servers.ts'
import { hasRebooted, ownIntent, type RecordedSnapshot } from './node-snapshot.ts'

/** How each wait for connections ended first; anew where some come before the limit is over. Nothing counts after the reboot. */
export function observeConnections(s: RecordedSnapshot): Readonly<Record<string, ConnectionsEnd>> {
  if (ownIntent(s) !== undefined || hasRebooted(s)) return s.evidence.connectionsEnded
  return Object.fromEntries(
    nodeServers(s).flatMap((server) => {
      const key = serverKey(server.ref)
      const end = seen(s, server, s.evidence.connectionsEnded[key])
      return end === undefined ? [] : [[key, end]]
    }),
  )
}

/** An agent that is not heard counts nothing, and nothing is begun anew by that. */
function seen(s: RecordedSnapshot, server: NodeServer, before: ConnectionsEnd | undefined): ConnectionsEnd | undefined {
  const now = connectionsEndOf(s, server)
  const isHeard = server.reading?.endpoint?.heard === true
  return isHeard && now === undefined ? undefined : (before ?? now)
}
