import { present } from '../../../../src/ground/model/present.ts'
import { BUDGET_CONFIG_MAP, MAX_OUT_KEY } from '../../../../src/service/model/budget-object.ts'
import { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import { budget, database, edge, WHOAMI_PORT, whoami } from '../../../../src/sim/cluster/article-workloads.ts'
import type { BalancerDescription, FrontDescription } from '../../../../src/sim/cluster/balancer-description.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../../../src/sim/world/api-resource.ts'
import { kuredDaemonSet } from '../kured-daemon-set.ts'
import { balancerBefore, EDGE, smallWorld, WEB } from '../small-world.ts'
import { AGENT_PORT } from '../virtual-agent.ts'
import { VirtualAgents } from '../virtual-agents.ts'
import { ATTACHED_STAMP, Detacher } from '../virtual-detacher.ts'
import { HEALTH_PORT, VirtualHealthChecks } from '../virtual-health-checks.ts'
import { letPodsWait } from './let-pods-wait.ts'
import { tightly, withPodsKind } from './pods-kind.ts'
import { nodeNames, type Scenario } from './scenario.ts'
import type { BalancerKind, WorldKind } from './world-kind.ts'

export interface BuiltWorld {
  readonly cluster: VirtualCluster
  readonly agents?: VirtualAgents
  readonly detacher?: Detacher
  /** What of it is no part of the cluster ends. */
  readonly end: () => void
}

/** The cluster of a scenario, settled, with what was set by hand before any roll. */
export async function buildWorld(scenario: Scenario): Promise<BuiltWorld> {
  const { seed, nodes, darkMs, cordoned, maint, world } = scenario
  let agents: VirtualAgents | undefined
  let detacher: Detacher | undefined
  let checks: VirtualHealthChecks | undefined
  const [detached] = movedBy(world, 'detacher')
  const cluster = await smallWorld({
    seed: `swarm ${seed}`,
    nodes,
    darkMs,
    manifests: manifestsOf(scenario),
    instances: instancesOf(scenario),
    ...present({ shutdownGraceMs: world.pods?.shutdownGraceMs }),
    beside: (cluster) => {
      agents = agentsOf(cluster, world)
      if (movedBy(world, 'mark').length > 0) checks = new VirtualHealthChecks(cluster)
      if (detached !== undefined) detacher = detacherOf(cluster, detached, scenario)
      if (world.pods !== undefined) letPodsWait(cluster, nodeNames(nodes), world.pods)
    },
  })
  // To an agent a cordon is a word to leave, and a node that is out leaves nothing of the budget.
  for (const name of agents === undefined ? cordoned : []) {
    const node = cluster.world.store.get(NODES, { name })
    if (node !== undefined)
      cluster.world.store.put(NODES, { ...node, spec: { ...(node.spec as object), unschedulable: true } })
  }
  // No roll can see what people set on a balancer that has no runtime API.
  const unseen = world.balancers.flatMap(({ instances, by }) => (by === undefined ? [] : instances))
  for (const { name, balancer } of cluster.instances)
    for (const server of unseen.includes(name) ? [] : maint) balancer.answer(`set server ${server} state maint`)
  await cluster.time.advance(AFTERWARDS_MS)
  const end = (): void => {
    agents?.end()
    checks?.end()
    detacher?.end()
  }
  return { cluster, end, ...present({ agents, detacher }) }
}

const AFTERWARDS_MS = 1_500

const FRONTS = {
  plain: { web: WEB, edge: EDGE },
  cookies: { web: { ...WEB, cookie: 'SRV' }, edge: EDGE },
  agents: { web: { ...WEB, checkPath: '/nodecheck', checkPort: AGENT_PORT, closesServers: true }, edge: EDGE },
  mark: { web: { ...WEB, checkPath: '/healthz', checkPort: HEALTH_PORT, closesServers: true }, edge: EDGE },
  closing: { web: { ...WEB, closesServers: true }, edge: EDGE },
  track: { web: WEB, edge: { ...EDGE, track: 'web' } },
} as const

/** A connection that a balancer keeps open to a pod stays with it, past its last endpoint. */
const instancesOf = ({ world: { balancers, servers, uneven }, polite }: Scenario): readonly BalancerDescription[] =>
  balancers.flatMap(({ instances, backends, by }) => {
    const { web, edge }: { web: FrontDescription; edge: FrontDescription } =
      FRONTS[by === undefined ? (servers ?? 'plain') : by === 'agents' || by === 'mark' ? by : 'closing']
    const { slowStartMs, backup } = uneven ?? {}
    const closing = polite !== undefined ? { ...web, closesServers: true } : web
    const fronts = {
      web: { ...closing, ...present({ slowStartMs, backup }) },
      edge: { ...edge, ...present({ slowStartMs }) },
    }
    return instances.map(() => balancerBefore(...backends.map((backend) => fronts[backend])))
  })

function agentsOf(cluster: VirtualCluster, world: WorldKind): VirtualAgents | undefined {
  const { agents } = world
  if (agents === undefined || movedBy(world, 'agents').length === 0) return undefined
  return new VirtualAgents({ cluster, dataPort: WHOAMI_PORT, ...agents })
}

/** As the roll file has it: where it tells that a node is attached again, it may leave what it told before. */
function detacherOf(cluster: VirtualCluster, instance: string, { seed, spec }: Scenario): Detacher {
  const detacher = new Detacher({ cluster, instance }, 'prompt')
  detacher.tellsAttached = JSON.stringify(spec).includes(ATTACHED_STAMP)
  detacher.keepsStamps = detacher.tellsAttached && new SeededRandom(`detacher ${seed}`).next() < 0.5
  return detacher
}

/** The instances that go so. */
const movedBy = ({ balancers }: WorldKind, how: BalancerKind['by']): readonly string[] =>
  balancers.flatMap(({ instances, by }) => (by === how ? instances : []))

function manifestsOf(scenario: Scenario): readonly object[] {
  const { pods } = scenario.world
  const plain = [...plainManifests(scenario), ...manifestsForFile(scenario)]
  const waiting = pods === undefined ? plain : withPodsKind(plain, pods)
  return pods?.tight === undefined ? waiting : tightly(waiting, pods.tight, nodesForTight(scenario))
}

/**
 * A pod that finds no room while its node is out comes back with that node. Where people keep another node cordoned, that one might take it,
 * so the roll waits for people: with cordons there has to be a node more than pods. Where two nodes may be out together, each waits for
 * the other one likewise, and people would have to roll them one by one. A polite pod leaves once its replacement serves on another node,
 * so it never leaves where each node has one.
 */
const nodesForTight = ({ nodes, cordoned, file, polite }: Scenario): number => {
  const mostOut = file?.mostOut ?? 1
  return cordoned.length === 0 && mostOut === 1 && polite === undefined ? nodes : nodes - cordoned.length - mostOut
}

/** What its roll file names: the lock of kured, and a budget of more than one node. */
const manifestsForFile = ({ file }: Scenario): readonly object[] =>
  file === undefined
    ? []
    : [...(file.takesLock ? [kuredDaemonSet()] : []), ...(file.mostOut > 1 ? [budgetObject(String(file.mostOut))] : [])]

const budgetObject = (maxOut: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'evenkeel', name: BUDGET_CONFIG_MAP },
  data: { [MAX_OUT_KEY]: maxOut },
})

function plainManifests({ nodes, whoami: app, databases, polite }: Scenario): readonly object[] {
  const { startSeconds, ...options } = app
  const service = polite === undefined ? 'improved' : 'plain'
  const text = JSON.stringify([
    ...whoami({ service, ...options }),
    ...(polite?.hasBudget === true ? [budget('whoami', 'whoami', options.replicas)] : []),
  ])
  const slow = text.replaceAll('{"name":"STOP"', `{"name":"START_DELAY","value":"${startSeconds}s"},{"name":"STOP"`)
  const volumes = nodeNames(Math.min(nodes, databases + 1))
  return [...(JSON.parse(slow) as readonly object[]), ...edge(), ...(databases === 0 ? [] : database(volumes))]
}
