import type { AdminState } from './balancer.ts'
import type { EndpointReading } from './health-endpoint.ts'

type Answered = Pick<EndpointReading, 'heard' | 'answer' | 'onlyClosed'>

/**
 * Whether an owner has taken out a node that load balancers know by its agent. If the only reason is that nothing answers at
 * the data port, the node left by itself, like a server whose checks fail: an ingress need not run on every node.
 */
export function endpointAdminState({ heard, answer, onlyClosed }: Answered, asked: boolean): AdminState {
  if (asked) return 'drain'
  return !heard || answer === 'up' || onlyClosed ? 'ready' : 'drain'
}
