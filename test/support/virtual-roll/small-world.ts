import { present } from '../../../src/ground/model/present.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { type NodeObject, readiness } from '../../../src/sim/actors/node-object.ts'
import { EDGE_PORT, WHOAMI_PORT } from '../../../src/sim/cluster/article-workloads.ts'
import type { BalancerDescription, FrontDescription } from '../../../src/sim/cluster/balancer-description.ts'
import { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../src/sim/world/apply-manifest.ts'
import { turnsOfLoop } from '../turns-of-loop.ts'
import { settled } from './article-cluster.ts'

export interface SmallWorld {
  readonly seed: string
  readonly nodes: number
  readonly darkMs: number
  /** Applied once all nodes are ready, so that pods are spread over them. */
  readonly manifests: readonly object[]
  /** The HAProxy instances before it: one with both backends, unless told otherwise. */
  readonly instances?: readonly BalancerDescription[]
  /** Kubelets hold up a shutdown for so long; absent: they do not. */
  readonly shutdownGraceMs?: number
  /** What else is to run before it can settle. */
  readonly beside?: (cluster: VirtualCluster) => void
}

/** Balancers that notice within a second or two, so that a roll takes less time. */
const CHECK = { interMs: 1_000, fall: 3, rise: 2 }

export const WEB = { backend: 'web', port: 18080, nodePort: WHOAMI_PORT } as const
export const EDGE = { backend: 'edge', port: 18081, nodePort: EDGE_PORT } as const

export const balancerBefore = (...fronts: readonly FrontDescription[]): BalancerDescription => ({
  fronts,
  check: CHECK,
})

const NODES_READY_WITHIN_S = 30

/** A cluster that has settled under its workloads, with servers of `whoami` and `edge` before it. */
export async function smallWorld({
  seed,
  nodes,
  darkMs,
  manifests,
  instances: [balancer = balancerBefore(WEB, EDGE), ...others] = [],
  shutdownGraceMs,
  beside,
}: SmallWorld): Promise<VirtualCluster> {
  const cluster = new VirtualCluster(
    {
      seed,
      startAt: wallMs(Date.UTC(2026, 0, 1)),
      nodes,
      darkMs,
      manifests: [],
      balancer,
      beside: others,
      ...present({ shutdownGraceMs }),
    },
    turnsOfLoop,
  )
  beside?.(cluster)
  await nodesReady(cluster, nodes)
  for (const manifest of manifests) applyManifest(cluster.world, manifest)
  await settled(cluster)
  return cluster
}

async function nodesReady({ time, world }: VirtualCluster, wanted: number): Promise<void> {
  for (let second = 0; second < NODES_READY_WITHIN_S; second += 1) {
    await time.advance(1000)
    const ready = ([...world.store.all(NODES)] as NodeObject[]).filter((node) => readiness(node) === 'True')
    if (ready.length === wanted) return
  }
  throw new Error(`${wanted} nodes are not ready within ${NODES_READY_WITHIN_S} s`)
}
