import type { HealthEndpointSpec } from '../../model/health-endpoint.ts'
import type { RollSnapshot } from '../roll/snapshot.ts'

/** Of a balancer that is told by the agents of the nodes. */
export const endpointOf = ({ spec }: Pick<RollSnapshot, 'spec'>, balancer: string): HealthEndpointSpec | undefined =>
  spec.balancers.find(({ name }) => name === balancer)?.healthEndpoint
