import { describe } from 'node:test'
import { CLUSTER_WORKLOADS, clusterContract } from './cluster-contract.ts'
import { openEmbeddedCluster } from './doors/embedded-cluster-door.ts'

for (const seed of ['a', 'b', 'c']) {
  describe(`the embedded cluster, in virtual time (seed ${seed})`, () => {
    clusterContract(() => openEmbeddedCluster({ seed, manifestsOn: CLUSTER_WORKLOADS }))
  })
}
