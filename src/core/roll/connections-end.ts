import { noticingOf } from './endpoint-state.ts'
import type { NodeServer } from './node-servers.ts'
import type { RecordedSnapshot } from './node-snapshot.ts'

/** Why the connections of a node are waited for no longer, where no balancer can be asked for them or cut them. */
export interface ConnectionsEnd {
  /** None is left, or the idle limit is over. */
  readonly by: 'connections' | 'limit'
  readonly left: number | 'unknown'
  /** Since load balancers had noticed that the node leaves. */
  readonly afterMs: number
}

/**
 * Undefined while they are waited for. What is left at the limit ends with the pods that serve it; the limit decides too
 * where connections cannot be seen.
 */
export function connectionsEnd(s: RecordedSnapshot, server: NodeServer): ConnectionsEnd | undefined {
  const left = server.reading?.endpoint?.connections
  const noticed = noticingOf(s, server, 'out')?.noticed
  if (left === undefined || noticed === undefined) return undefined
  const afterMs = s.now - noticed.at
  if (left === 0) return { by: 'connections', left, afterMs }
  return afterMs >= s.spec.detach.idleLimitMs ? { by: 'limit', left, afterMs } : undefined
}
