import type { Cluster } from '../ports/cluster.ts'
import type { ApiClient } from './api-client.ts'
import { askObject } from './api-object.ts'
import { creationOf, readLease, replacementOf } from './lease-store.ts'
import { parseLease } from './parse-lease.ts'

/**
 * The Lease of a leader, written by PUT: roles for leader election grant `update`, as client-go's does. A PUT makes a deleted
 * Lease anew, which only its last leader can do before another process has made one.
 */
export const kubeLeaderLease = (client: ApiClient): Pick<Cluster, 'readLease' | 'writeLease'> => ({
  readLease: (ref, signal) => readLease(client, ref, signal),
  writeLease: (lease, signal) => {
    const call = lease.resourceVersion === '' ? creationOf(lease) : replacementOf(lease)
    return askObject(client, { call, parse: parseLease }, signal)
  },
})
