import type { Reason } from '../../ground/model/reason.ts'
import type { MonoMs } from '../../ground/model/time.ts'

/**
 * client-go's followers try again after at most 30 s, up to doubled by jitter (reflector.go, NewReflectorWithOptions);
 * the rest is for a try that comes just before the API server can answer it, and for what follows from an answer.
 */
const FOLLOWERS_BACK_MS = 75_000

/**
 * Why nothing is begun so soon after an outage of the API server, in which its clients heard of no change. Until kube-proxy follows again, it
 * sends to pods that are gone. Until the agent of a node follows again, the node may be out although its Node does not show that any more.
 */
export function followersAwaited({ awayAt, now }: Outage): Reason | undefined {
  if (awayAt === undefined || now - awayAt >= FOLLOWERS_BACK_MS) return undefined
  const text = 'the API server was away less than 75 s ago, so kube-proxy and agents may not know yet what has changed'
  return { code: 'ApiWasAway', text }
}

interface Outage {
  /** The last moment at which it was known to be away. */
  readonly awayAt: MonoMs | undefined
  readonly now: MonoMs
}
