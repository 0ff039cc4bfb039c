import type { ObjectRef } from '../../../ground/model/object-ref.ts'
import type { RollSnapshot } from '../snapshot.ts'

/** The name that CoreDNS keeps for compatibility. */
const USUAL: ObjectRef = { namespace: 'kube-system', name: 'kube-dns' }

/** The Service of DNS as a check found it; otherwise the usual one. */
export const dnsService = ({ dns }: Pick<RollSnapshot, 'dns'>): ObjectRef => dns?.seen?.scene.service ?? USUAL

/** Ready endpoints of the Service of DNS. */
export function dnsReady(s: Pick<RollSnapshot, 'dns' | 'cluster'>): number {
  const { namespace, name } = dnsService(s)
  return s.cluster.slices
    .filter((slice) => slice.namespace === namespace && slice.serviceName === name)
    .flatMap((slice) => slice.endpoints)
    .filter((endpoint) => endpoint.ready).length
}
