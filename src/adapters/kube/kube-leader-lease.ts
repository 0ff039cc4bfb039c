import type { Lease } from '../../model/lease.ts'
import type { Cluster } from '../../ports/cluster.ts'
import { type ApiCall, segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'
import { askObject } from './api-object.ts'
import { leaseSpec, readLease } from './lease-store.ts'
import { parseLease } from './parse-lease.ts'

const RESOURCE = 'leases.coordination.k8s.io'

/**
 * The Lease of a leader, put and not patched: roles for leader election grant `update`, as client-go's does. A Lease that
 * was deleted is made anew by that, which only its last leader can do before somebody else has made one.
 */
export const kubeLeaderLease = (client: ApiClient): Pick<Cluster, 'readLease' | 'writeLease'> => ({
  readLease: (ref, signal) => readLease(client, ref, signal),
  writeLease: (lease, signal) => askObject(client, { call: writeOf(lease), parse: parseLease }, signal),
})

function writeOf(lease: Lease): ApiCall {
  const { namespace, name, annotations, resourceVersion } = lease
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${segment(namespace)}/leases`
  const named = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec: leaseSpec(lease) }
  const metadata = { namespace, name, annotations }
  if (resourceVersion === '') {
    return { verb: 'create', resource: RESOURCE, path: collection, body: { ...named, metadata } }
  }
  const body = { ...named, metadata: { ...metadata, resourceVersion } }
  return { verb: 'update', resource: RESOURCE, path: `${collection}/${segment(name)}`, body }
}
