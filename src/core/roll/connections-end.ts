import type { MonoMs } from '../../model/time.ts'
import { noticingOf } from './endpoint-state.ts'
import type { NodeServer } from './node-servers.ts'
import type { RecordedSnapshot } from './node-snapshot.ts'

/** Why the connections of a node are waited for no longer, where no balancer can be asked for them or cut them. */
export interface ConnectionsEnd {
  /** None is left, or the idle limit is over. */
  readonly by: 'connections' | 'limit'
  readonly left: number | 'unknown'
  /** Since when load balancers have noticed that the node leaves. */
  readonly since: MonoMs
  readonly at: MonoMs
}

/**
 * Undefined while they are waited for. What is left at the limit ends with the pods that serve it; the limit decides too
 * where connections cannot be seen.
 */
export function connectionsEnd(s: RecordedSnapshot, server: NodeServer): ConnectionsEnd | undefined {
  const left = server.reading?.endpoint?.connections
  const since = noticingOf(s, server, 'out')?.noticed?.at
  if (left === undefined || since === undefined) return undefined
  if (left === 0) return { by: 'connections', left, since, at: s.now }
  return s.now - since >= s.spec.detach.idleLimitMs ? { by: 'limit', left, since, at: s.now } : undefined
}
