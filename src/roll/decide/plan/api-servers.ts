import type { Endpoint } from '../../../ground/model/endpoint.ts'
import type { ClusterReading } from '../snapshot.ts'

interface Seen {
  /** The address in the kubeconfig. */
  readonly apiServer: Endpoint
  readonly cluster: Pick<ClusterReading, 'slices'>
}

/** The addresses of the API: in the kubeconfig, and those that the API servers write into Service default/kubernetes. */
export function apiServers({ apiServer, cluster }: Seen): readonly Endpoint[] {
  const own = cluster.slices
    .filter(({ namespace, serviceName }) => namespace === 'default' && serviceName === 'kubernetes')
    .flatMap(({ endpoints, ports }) => {
      const addresses = endpoints.flatMap((endpoint) => endpoint.addresses)
      return addresses.flatMap((address) => ports.map((port) => ({ address, port })))
    })
  return [apiServer, ...own]
}
