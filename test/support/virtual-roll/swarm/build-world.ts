import { database, edge, WHOAMI_PORT, whoami } from '../../../../src/sim/cluster/article-workloads.ts'
import type { BalancerDescription } from '../../../../src/sim/cluster/balancer-description.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../../../src/sim/world/api-resource.ts'
import { balancerBefore, EDGE, smallWorld, WEB } from '../small-world.ts'
import { AGENT_PORT } from '../virtual-agent.ts'
import { VirtualAgents } from '../virtual-agents.ts'
import { nodeNames, type Scenario } from './scenario.ts'
import type { WorldKind } from './world-kind.ts'

interface BuiltWorld {
  readonly cluster: VirtualCluster
  readonly agents?: VirtualAgents
}

/** The cluster of a scenario, settled, with what was set by hand before anybody rolls. */
export async function buildWorld(scenario: Scenario): Promise<BuiltWorld> {
  const { seed, nodes, darkMs, cordoned, maint, world } = scenario
  let agents: VirtualAgents | undefined
  const cluster = await smallWorld({
    seed: `swarm ${seed}`,
    nodes,
    darkMs,
    manifests: manifestsOf(scenario),
    instances: instancesOf(world),
    beside: (cluster) => {
      agents = agentsOf(cluster, world)
    },
  })
  // To an agent a cordon is a word to leave, and a node that is out leaves nothing of the budget.
  for (const name of agents === undefined ? cordoned : []) {
    const node = cluster.world.store.get(NODES, { name })
    if (node !== undefined)
      cluster.world.store.put(NODES, { ...node, spec: { ...(node.spec as object), unschedulable: true } })
  }
  // No roll can see what people set on a balancer that it knows by the agents of the nodes alone.
  const unseen = world.balancers.flatMap(({ instances, checksAgents }) => (checksAgents === true ? instances : []))
  for (const { name, balancer } of cluster.instances)
    for (const server of unseen.includes(name) ? [] : maint) balancer.answer(`set server ${server} state maint`)
  await cluster.time.advance(AFTERWARDS_MS)
  return agents === undefined ? { cluster } : { cluster, agents }
}

const AFTERWARDS_MS = 1_500

const FRONTS = {
  plain: { web: WEB, edge: EDGE },
  cookies: { web: { ...WEB, cookie: 'SRV' }, edge: EDGE },
  agents: { web: { ...WEB, checkPath: '/nodecheck', checkPort: AGENT_PORT, closesServers: true }, edge: EDGE },
  track: { web: WEB, edge: { ...EDGE, track: 'web' } },
} as const

const instancesOf = ({ balancers, servers }: WorldKind): readonly BalancerDescription[] =>
  balancers.flatMap(({ instances, backends, checksAgents }) => {
    const fronts = FRONTS[checksAgents === true ? 'agents' : (servers ?? 'plain')]
    return instances.map(() => balancerBefore(...backends.map((backend) => fronts[backend])))
  })

function agentsOf(cluster: VirtualCluster, { balancers, agents }: WorldKind): VirtualAgents | undefined {
  if (agents === undefined || !balancers.some(({ checksAgents }) => checksAgents === true)) return undefined
  return new VirtualAgents({ cluster, dataPort: WHOAMI_PORT, ...agents })
}

function manifestsOf({ nodes, whoami: { startSeconds, ...options }, databases }: Scenario): readonly object[] {
  const text = JSON.stringify(whoami({ service: 'improved', ...options }))
  const slow = text.replaceAll('{"name":"STOP"', `{"name":"START_DELAY","value":"${startSeconds}s"},{"name":"STOP"`)
  const volumes = nodeNames(Math.min(nodes, databases + 1))
  return [...(JSON.parse(slow) as readonly object[]), ...edge(), ...(databases === 0 ? [] : database(volumes))]
}
