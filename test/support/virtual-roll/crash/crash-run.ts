import type { ProbeTarget } from '../../../../src/ground/model/probe.ts'
import { budget, database, edge, shutApp, WHOAMI_PORT, whoami } from '../../../../src/sim/cluster/article-workloads.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../../../src/sim/world/api-resource.ts'
import { settled, virtualRollFile } from '../article-cluster.ts'
import { LossLog } from '../checkers/loss-log.ts'
import { Scene, type Violation } from '../checkers/scene.ts'
import { watchWorld } from '../checkers/watch-world.ts'
import { kuredDaemonSet, kuredLockOf } from '../kured-daemon-set.ts'
import { operateRoll } from '../operate-roll.ts'
import type { EffectHook } from '../process-ports.ts'
import { balancerBefore, type SmallWorld, smallWorld, WEB } from '../small-world.ts'
import { AGENT_PORT, AGENT_STATUS_PORT } from '../virtual-agent.ts'
import { VirtualAgents } from '../virtual-agents.ts'
import { HEALTH_PORT, MARK, VirtualHealthChecks } from '../virtual-health-checks.ts'
import { VirtualRoll } from '../virtual-roll.ts'
import { PersonClaims } from './person-claims.ts'
import { StorageFlags } from './storage-flags.ts'

/** Where a process is killed: at the n-th thing that it does to the world or its journal, counted over all processes. */
export interface CrashPoint {
  readonly effect: number
  readonly phase: 'before' | 'after'
}

export interface CrashPlan {
  /** In the order in which they come. */
  readonly crashes: readonly CrashPoint[]
  readonly word: 'resume' | 'abort'
  /** Nodes of the cluster, and which of them are rolled. */
  readonly nodes: number
  readonly rolled: readonly string[]
  /** `whoami` exits at once, its budget allows no eviction, and its pods leave politely: by choice, or once they are refused. */
  readonly polite?: 'chosen' | 'refused'
  /** A pod without a replica, whose budget allows no eviction, is deleted after its wait. */
  readonly deletes?: true
  /** Hooks set a flag of storage before each reboot and unset it after, and gates want it so. */
  readonly hooks?: true
  /** The conditions of the nodes say what is done to them. */
  readonly announces?: true
  /** kured has a DaemonSet, and the roll takes its lock. */
  readonly takesLock?: true
  /** The balancer of the roll has nothing but a health check, which goes by a mark on the Node. */
  readonly healthCheck?: true
  /** Nodes still to come are marked meanwhile. */
  readonly preferDone?: true
  /** A person claims the first of these meanwhile. Absent: no one does. */
  readonly claimed?: {
    /** How the balancer of the roll is told. */
    readonly by: 'socket' | 'agents'
    /** The owner that withdraws last. */
    readonly last: 'roll' | 'person'
    /** The agent of the node is killed right after the person has withdrawn. */
    readonly killsAgent: boolean
  }
}

export interface CrashRun {
  /** Of every effect, in order. */
  readonly effects: readonly string[]
  readonly violations: readonly Violation[]
  readonly processes: number
  readonly virtualMs: number
  /** Where a person claimed a node: when, and when that was over and the node back, on one clock. */
  readonly claim?: { readonly claimedAtMs: number; readonly withdrawnAtMs: number; readonly backAtMs: number }
}

const ROLL_LIMIT_MS = 5 * 60_000
const PAUSE_MS = 1_500
const JUDGED_AFTER_MS = 3_000

/** One roll of a small cluster under traffic, killed where the plan says, taken up again, and looked at by all checkers. */
export async function crashRun({
  crashes,
  word,
  nodes,
  rolled,
  claimed,
  polite,
  preferDone,
  deletes,
  hooks,
  announces,
  takesLock,
  healthCheck,
}: CrashPlan): Promise<CrashRun> {
  const world = {
    seed: 'crash',
    nodes,
    darkMs: 500,
    manifests: [
      ...manifestsFor(nodes, polite !== undefined),
      ...(deletes ? shutApp('legacy') : []),
      ...(takesLock ? [kuredDaemonSet()] : []),
    ],
  }
  const { cluster, agents, checks } = await worldOf(
    world,
    claimed?.by === 'agents' ? 'agents' : healthCheck && 'checks',
  )
  const { time } = cluster
  const effects: string[] = []
  const onEffect: EffectHook = (effect, phase, lifeline) => {
    if (phase === 'before') effects.push(effect)
    const at = effects.lastIndexOf(effect)
    if (crashes.some((crash) => crash.effect === at && crash.phase === phase)) lifeline.cut()
  }
  const roll: VirtualRoll = new VirtualRoll(
    cluster,
    virtualRollFile({
      rate: 10,
      spec: {
        nodes: { names: rolled },
        ...BRISK,
        ...(agents && BY_AGENTS),
        ...(checks && BY_CHECKS),
        ...(preferDone && PREFER_DONE),
        ...(polite && DRAINS[polite]),
        ...(deletes && DRAINS.deleted),
        ...(hooks && WISHES),
        ...(announces && { announce: { conditions: true } }),
        ...(takesLock && { reboot: { kuredLock: {} } }),
      },
    }),
    {
      onEffect,
      batchEveryMs: 400,
      programOf: (argv) => flags.program(argv),
      witness: (request) => {
        if (hooks && request.kind === 'reboot') flags.reboots(request.node)
        return watched.witness(roll)(request)
      },
    },
  )
  const scene = new Scene(cluster)
  scene.rolls = 1
  scene.mayDelete = deletes === true
  scene.mayAnnounce = announces === true
  scene.mayTakeLock = takesLock === true
  const flags = new StorageFlags((text) => scene.tell('hooks', text))
  const losses = new LossLog(cluster, { ...firstTarget(roll), ratePerSecond: 20 })
  const watched = watchWorld(scene, losses, ['edge'])
  const [node = ''] = rolled
  const person =
    claimed &&
    new PersonClaims(scene, node, {
      last: claimed.last,
      onWithdrawn: () => claimed.killsAgent && agents?.restart(node),
    })
  const startedMs = time.monoMs()
  const first = await roll.begin()
  roll.journal.disk = { ...roll.journal.disk, onSynced: watched.synced(roll) }
  let processes = 0
  const operating = operateRoll({
    roll,
    first,
    pauseMs: () => PAUSE_MS,
    word: () => word,
    onProcess: () => {
      processes += 1
      scene.processBegan(roll.run)
    },
  })
  try {
    await time.settle(scene.untilTold(operating), ROLL_LIMIT_MS)
    await settled(cluster)
  } catch (error) {
    scene.tell('everything-returns', error instanceof Error ? error.message : String(error))
  }
  const virtualMs = time.monoMs() - startedMs
  await time.advance(JUDGED_AFTER_MS)
  await time.settle(losses.stop(), ROLL_LIMIT_MS)
  if (hooks) flags.end()
  tellLeft(scene)
  watched.end()
  person?.end()
  agents?.end()
  checks?.end()
  cluster.end()
  return { effects, violations: scene.violations, processes, virtualMs, ...(person && { claim: person.times }) }
}

/** What a roll announced, or the lock that it took, and nothing has taken back. */
export function tellLeft(scene: Scene): void {
  for (const text of announcedIn(scene.cluster)) scene.tell('announced', text)
  if (kuredLockOf(scene.cluster) !== undefined) scene.tell('kured', 'the lock of kured is held at the end')
}

interface WithConditions {
  readonly conditions?: readonly { readonly type: string; readonly message?: string }[]
}

/** What a roll has announced, and nothing has taken back. */
const announcedIn = ({ world }: VirtualCluster): readonly string[] =>
  [...world.store.all(NODES)].flatMap(({ metadata, status }) =>
    ((status as WithConditions | undefined)?.conditions ?? [])
      .filter(({ message = '' }) => message.startsWith('Even Keel'))
      .map(({ type }) => `${metadata.name} has ${type} at the end`),
  )

/** Short waits: what is tested is the order of things. */
const BRISK = {
  soak: '1s',
  baseline: { duration: '1s' },
  settle: { limit: '2min', timesInARow: 2 },
  slots: { leaseDuration: '15s' },
  detach: { idleLimit: '5s' },
}

const DRAINS = {
  chosen: { drain: { daemonSets: ['app=edge'], polite: [{ selector: 'app=whoami', leaveAfter: '2s' }] } },
  refused: { drain: { daemonSets: ['app=edge'], blocked: [{ selector: 'app=whoami', wait: '1s', surge: '2min' }] } },
  deleted: { drain: { daemonSets: ['app=edge'], blocked: [{ selector: 'app=legacy', wait: '1s', delete: true }] } },
}

const WISHES = {
  gates: [{ name: 'flag', before: ['attach'], command: ['isSet', '{node}'], timesInARow: 2, interval: '500ms' }],
  hooks: [
    { name: 'outer', at: 'beforeNode', run: ['set', 'outer-{node}'], undo: ['unset', 'outer-{node}'] },
    { name: 'noout', at: 'beforeReboot', run: ['set', '{node}'], undo: ['unset', '{node}'], onFailure: 'hold' },
    { name: 'through', at: 'afterNode', run: ['through', '{node}'] },
  ],
}

const PREFER_DONE = { drain: { daemonSets: ['app=edge'], preferDone: true } }

const BY_AGENTS = {
  balancers: [
    {
      name: 'edge',
      healthEndpoint: {
        agentPort: AGENT_STATUS_PORT,
        dataPort: WHOAMI_PORT,
        checks: { interval: '1s', fall: 3, rise: 2, slack: '2s' },
      },
    },
  ],
}

const BY_CHECKS = {
  balancers: [
    {
      name: 'edge',
      healthCheck: {
        taint: MARK,
        check: { url: `http://{address}:${HEALTH_PORT}/healthz` },
        checks: { interval: '1s', fall: 3, rise: 2, slack: '1s' },
        dataPort: WHOAMI_PORT,
      },
    },
  ],
}

interface World {
  readonly cluster: VirtualCluster
  readonly agents?: VirtualAgents
  readonly checks?: VirtualHealthChecks
}

/** The same cluster, or behind a balancer that has nothing but checks: which agents of the nodes answer, or something that goes by a mark. */
async function worldOf(world: SmallWorld, by: 'agents' | 'checks' | undefined): Promise<World> {
  if (by === undefined) return { cluster: await smallWorld(world) }
  const checked = by === 'agents' ? { checkPath: '/nodecheck', checkPort: AGENT_PORT } : CHECKED
  const begun = Promise.withResolvers<Omit<World, 'cluster'>>()
  const beside = (cluster: VirtualCluster): void =>
    begun.resolve(
      by === 'agents'
        ? { agents: new VirtualAgents({ cluster, dataPort: WHOAMI_PORT, countsConnections: true }) }
        : { checks: new VirtualHealthChecks(cluster) },
    )
  const instances = [balancerBefore({ ...WEB, ...checked, closesServers: true })]
  const cluster = await smallWorld({ ...world, instances, beside })
  return { cluster, ...(await begun.promise) }
}

const CHECKED = { checkPath: '/healthz', checkPort: HEALTH_PORT }

const manifestsFor = (nodes: number, polite = false): readonly object[] => [
  ...(polite ? exitsAtOnce(nodes + 1) : whoami({ service: 'improved', replicas: nodes + 1, graceSeconds: 1 })),
  ...edge(),
  ...database(Array.from({ length: nodes }, (_, i) => `n${i + 1}`)),
]

const exitsAtOnce = (replicas: number): readonly object[] => [
  ...whoami({ service: 'plain', replicas, graceSeconds: 1 }),
  budget('whoami', 'whoami', replicas),
]

function firstTarget({ spec }: VirtualRoll): ProbeTarget {
  const [target] = spec.probe?.targets ?? []
  if (target === undefined) throw new Error('the roll has no probe')
  return target
}
