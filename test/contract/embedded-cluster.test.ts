import { describe } from 'node:test'
import { CLUSTER_WORKLOADS, clusterContract } from './cluster-contract.ts'
import { openEmbeddedCluster } from './doors/embedded-cluster-door.ts'

describe('the embedded cluster, in virtual time', () => {
  clusterContract(() => openEmbeddedCluster({ seed: 'contract', manifestsOn: CLUSTER_WORKLOADS }))
})
