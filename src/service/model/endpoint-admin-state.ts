import type { AdminState } from './balancer.ts'
import type { EndpointReading } from './health-endpoint.ts'

type Answered = Pick<EndpointReading, 'heard' | 'answer' | 'onlyClosed'>

/**
 * Whether an owner has taken out a node that load balancers know by its agent. One whose data port nothing answers at, and
 * that is all, left by itself, as a server does whose checks fail: an ingress need not run on every node.
 */
export function endpointAdminState({ heard, answer, onlyClosed }: Answered, asked: boolean): AdminState {
  if (asked) return 'drain'
  return !heard || answer === 'up' || onlyClosed ? 'ready' : 'drain'
}
