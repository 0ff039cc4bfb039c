import type { Lease } from '../model/lease.ts'
import { parseLease } from './parse-lease.ts'
import type { Resource } from './resources.ts'

/**
 * A kubelet renews its Lease every 10 s, give or take 4 % (KEP-0009), and every renewal is a change. What has been silent
 * for longer is a node that does not renew or a watch that died, and a list tells which.
 */
const IDLE_MS = 12_000

/** The one Lease by which a node says that it lives. */
export const heartbeatLease = (node: string): Resource<Lease> => ({
  path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
  resource: 'leases.coordination.k8s.io',
  parse: parseLease,
  query: { fieldSelector: `metadata.name=${node}` },
  idleMs: IDLE_MS,
})
