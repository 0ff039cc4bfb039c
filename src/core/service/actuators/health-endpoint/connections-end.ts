import type { MonoMs } from '../../../../model/time.ts'

/** Why the connections of a node are waited for no longer, where no balancer can be asked for them or cut them. */
export interface ConnectionsEnd {
  /** None is left, or the idle limit is over. */
  readonly by: 'connections' | 'limit'
  readonly left: number | 'unknown'
  /** Since when load balancers have noticed that the node leaves. */
  readonly since: MonoMs
  readonly at: MonoMs
}

interface Waited {
  readonly left: ConnectionsEnd['left']
  readonly since: MonoMs
  readonly now: MonoMs
  readonly idleLimitMs: number
}

/**
 * Undefined while they are waited for. What is left at the limit ends with the pods that serve it; the limit decides too
 * where connections cannot be seen.
 */
export function connectionsEnd({ left, since, now, idleLimitMs }: Waited): ConnectionsEnd | undefined {
  if (left === 0) return { by: 'connections', left, since, at: now }
  return now - since >= idleLimitMs ? { by: 'limit', left, since, at: now } : undefined
}
