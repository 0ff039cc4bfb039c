import type { AdminState } from './balancer.ts'
import type { EndpointReading } from './health-endpoint.ts'

type Answered = Pick<EndpointReading, 'heard' | 'answer' | 'onlyClosed' | 'lastHeard'>

/**
 * Whether an owner has taken out a node that load balancers know by its agent. If the only reason is that nothing answers at
 * the data port, the node left by itself, like a server whose checks fail: an ingress need not run on every node. Silence proves
 * nothing: the last answer stands until there is another one.
 */
export function endpointAdminState(endpoint: Answered, asked: boolean): AdminState {
  if (asked) return 'drain'
  const said = endpoint.heard ? endpoint : endpoint.lastHeard
  return said === undefined || said.answer === 'up' || said.onlyClosed ? 'ready' : 'drain'
}
