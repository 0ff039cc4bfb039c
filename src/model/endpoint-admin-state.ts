import type { AdminState, ServerReading } from './balancer.ts'
import type { EndpointReading } from './health-endpoint.ts'

type Told = Pick<EndpointReading, 'heard' | 'answer'>

/**
 * Whether somebody has taken a node out that load balancers know by its agent. One whose data port nothing answers at left by
 * itself, as a server does whose checks fail: an ingress need not run on every node.
 */
export function endpointAdminState(told: Told, check: ServerReading['check'], asked: boolean): AdminState {
  if (asked) return 'drain'
  if (!told.heard || told.answer === 'up') return 'ready'
  return told.answer === 'down' && check === 'failing' ? 'ready' : 'drain'
}
