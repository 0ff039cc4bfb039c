import { database, edge, whoami } from '../../../../src/sim/cluster/article-workloads.ts'
import type { BalancerDescription } from '../../../../src/sim/cluster/balancer-description.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../../../src/sim/world/api-resource.ts'
import { balancerBefore, EDGE, smallWorld, WEB } from '../small-world.ts'
import { nodeNames, type Scenario } from './scenario.ts'
import type { WorldKind } from './world-kind.ts'

/** The cluster of a scenario, settled, with what was set by hand before anybody rolls. */
export async function buildWorld(scenario: Scenario): Promise<VirtualCluster> {
  const { seed, nodes, darkMs, cordoned, maint, world } = scenario
  const cluster = await smallWorld({
    seed: `swarm ${seed}`,
    nodes,
    darkMs,
    manifests: manifestsOf(scenario),
    instances: instancesOf(world),
  })
  for (const name of cordoned) {
    const node = cluster.world.store.get(NODES, { name })
    if (node !== undefined)
      cluster.world.store.put(NODES, { ...node, spec: { ...(node.spec as object), unschedulable: true } })
  }
  for (const { balancer } of cluster.instances)
    for (const server of maint) balancer.answer(`set server ${server} state maint`)
  await cluster.time.advance(AFTERWARDS_MS)
  return cluster
}

const AFTERWARDS_MS = 1_500

const FRONTS = {
  plain: { web: WEB, edge: EDGE },
  cookies: { web: { ...WEB, cookie: 'SRV' }, edge: EDGE },
  track: { web: WEB, edge: { ...EDGE, track: 'web' } },
} as const

const instancesOf = ({ balancers, servers }: WorldKind): readonly BalancerDescription[] =>
  balancers.flatMap(({ instances, backends }) =>
    instances.map(() => balancerBefore(...backends.map((backend) => FRONTS[servers ?? 'plain'][backend]))),
  )

function manifestsOf({ nodes, whoami: { startSeconds, ...options }, databases }: Scenario): readonly object[] {
  const text = JSON.stringify(whoami({ service: 'improved', ...options }))
  const slow = text.replaceAll('{"name":"STOP"', `{"name":"START_DELAY","value":"${startSeconds}s"},{"name":"STOP"`)
  const volumes = nodeNames(Math.min(nodes, databases + 1))
  return [...(JSON.parse(slow) as readonly object[]), ...edge(), ...(databases === 0 ? [] : database(volumes))]
}
