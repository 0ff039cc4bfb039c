import { describe } from 'node:test'
import { CLUSTER_WORKLOADS, clusterContract } from '../contract/cluster-contract.ts'
import { openRealCluster } from '../contract/doors/real-cluster-door.ts'
import { requires } from '../support/requires.ts'

describe('a real cluster', requires('testbed'), () => {
  clusterContract(() => openRealCluster(CLUSTER_WORKLOADS))
})
