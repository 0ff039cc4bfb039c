import type { Endpoint } from '../../../ground/model/endpoint.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'

/** The addresses of the API: in the kubeconfig, and those that the API servers write into Service default/kubernetes. */
export function apiServers({ apiServer, cluster }: Pick<PlanSnapshot, 'apiServer' | 'cluster'>): readonly Endpoint[] {
  const own = cluster.slices
    .filter(({ namespace, serviceName }) => namespace === 'default' && serviceName === 'kubernetes')
    .flatMap(({ endpoints, ports }) => {
      const addresses = endpoints.flatMap((endpoint) => endpoint.addresses)
      return addresses.flatMap((address) => ports.map((port) => ({ address, port })))
    })
  return [apiServer, ...own]
}
