import { after, before, describe } from 'node:test'
import { database, edge, whoami } from '../../src/sim/cluster/article-workloads.ts'
import { apartContract } from './cluster/apart.ts'
import { ClusterGround } from './cluster/cluster-ground.ts'
import { darkClustersContract } from './cluster/dark-clusters.ts'
import { darkNodesContract } from './cluster/dark-nodes.ts'
import { drainsContract } from './cluster/drains.ts'
import { podStartsContract } from './cluster/pod-starts.ts'
import { preferredNodesContract } from './cluster/preferred-nodes.ts'
import { rebootsContract } from './cluster/reboots.ts'
import { releasedPodsContract } from './cluster/released-pods.ts'
import { rolloutsContract } from './cluster/rollouts.ts'
import { staticPodsContract } from './cluster/static-pods.ts'
import { taintedDaemonsContract } from './cluster/tainted-daemons.ts'
import { volumesContract } from './cluster/volumes.ts'
import type { OpenedCluster } from './doors/real-cluster-door.ts'

/** What the contract needs on the cluster's three nodes. */
export const CLUSTER_WORKLOADS = (nodes: readonly string[]): readonly object[] => [
  ...whoami({ service: 'improved' }),
  ...edge(),
  ...database(nodes),
]

/** Of `whoami` 5, of `edge` one on each node, of `db` 2. */
const PODS = 10

/** What every cluster must do, the real one first of all: in which order its objects tell of what happens. */
export function clusterContract(open: () => Promise<OpenedCluster>): void {
  let opened: OpenedCluster | undefined
  let ground: ClusterGround | undefined
  const the = (): ClusterGround => {
    if (ground === undefined) throw new Error('the cluster is not open yet')
    return ground
  }

  before(async () => {
    opened = await open()
    ground = await ClusterGround.open(opened.door)
    await ground.settled(PODS)
  })
  after(async () => {
    ground?.close()
    await opened?.close()
  })

  describe('reboots', () => rebootsContract(the))
  describe('dark nodes', () => darkNodesContract(the))
  describe('drains', () => drainsContract(the))
  describe('tainted daemons', () => taintedDaemonsContract(the))
  describe('preferred nodes', () => preferredNodesContract(the))
  describe('rollouts', () => rolloutsContract(the))
  describe('apart', () => apartContract(the))
  describe('released pods', () => releasedPodsContract(the))
  describe('volumes', () => volumesContract(the))
  describe('pod starts', () => podStartsContract(the))
  describe('static pods', () => staticPodsContract(the))
  describe('dark clusters', () => darkClustersContract(the))
}
