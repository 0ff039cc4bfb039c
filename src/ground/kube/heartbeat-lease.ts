import type { Lease } from '../model/lease.ts'
import { parseLease } from './parse-lease.ts'
import type { Resource } from './resources.ts'

/**
 * A kubelet renews its Lease every 10 s, give or take 4 % (KEP-0009), and every renewal is a change. After a longer silence,
 * either the node does not renew or the watch died, and a list shows which.
 */
const IDLE_MS = 12_000

/** The Lease by which a node shows that it lives. */
export const heartbeatLease = (node: string): Resource<Lease> => ({
  path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
  resource: 'leases.coordination.k8s.io',
  parse: parseLease,
  query: { fieldSelector: `metadata.name=${node}` },
  idleMs: IDLE_MS,
})
