import type { EndpointSlice } from '../../model/service.ts'

/** Ready endpoints of the cluster's DNS Service (`kube-dns`, the name CoreDNS keeps for compatibility). */
export function dnsReady(slices: readonly EndpointSlice[]): number {
  return slices
    .filter((slice) => slice.namespace === 'kube-system' && slice.serviceName === 'kube-dns')
    .flatMap((slice) => slice.endpoints)
    .filter((endpoint) => endpoint.ready).length
}
