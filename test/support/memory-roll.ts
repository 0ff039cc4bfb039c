import type { Node } from '../../src/ground/model/node.ts'
import type { ConfigMaps } from '../../src/ground/ports/config-maps.ts'
import type { Programs } from '../../src/ground/ports/programs.ts'
import type { RollEvent, StampedEvent } from '../../src/roll/model/roll-event.ts'
import type { GateSource } from '../../src/roll/ports/gate-source.ts'
import type { JournalEntry } from '../../src/roll/ports/journal.ts'
import type { KuredLocks } from '../../src/roll/ports/kured-locks.ts'
import type { Probe } from '../../src/roll/ports/probe.ts'
import type { Silencer } from '../../src/roll/ports/silencer.ts'
import type { TimeWindows } from '../../src/roll/ports/time-windows.ts'
import type { RollDnsChecks } from '../../src/roll/run/dns-watch.ts'
import { RollEngine } from '../../src/roll/run/roll-engine.ts'
import type { RunState } from '../../src/roll/run/run-state.ts'
import type { ServerReading } from '../../src/service/model/balancer.ts'
import type { BalancerReader } from '../../src/service/ports/balancer.ts'
import { MemoryBalancer } from './memory-balancer.ts'
import { MemoryCluster } from './memory-cluster.ts'
import type { MemoryPair } from './memory-pair.ts'
import { aNode, aServer, aSpec, NEW_BOOT } from './roll-world.ts'
import { SeededRandom } from './seeded-random.ts'
import { VirtualClock } from './virtual-clock.ts'

interface Asked {
  readonly run?: Partial<RunState>
  readonly nodes?: readonly Node[]
  readonly servers?: readonly ServerReading[]
  /** In place of the balancer. */
  readonly readers?: (cluster: MemoryCluster, clock: VirtualClock) => readonly BalancerReader[]
  /** The world of another roll, which this one goes on in. */
  readonly world?: Pick<MemoryRoll, 'clock' | 'cluster'>
  /** Machines of the load balancers, with the balancer that runs on them. */
  readonly pair?: (clock: VirtualClock) => MemoryPair
  readonly probe?: (clock: VirtualClock) => Probe
  readonly dns?: RollDnsChecks
  readonly gates?: GateSource
  readonly programs?: Programs
  readonly silencer?: Silencer
  readonly timeWindows?: TimeWindows
  /** Where the node budget stands; absent: one node may be out. */
  readonly configMaps?: Pick<ConfigMaps, 'read'>
  /** Absent: the lock of kured is only read. */
  readonly kuredLocks?: (world: Pick<MemoryRoll, 'clock' | 'cluster'>) => KuredLocks
  /** Another process than that of 1. */
  readonly seed?: number
  readonly portAnswers?: boolean
  /** Called when a data port is asked. */
  readonly onPortAsked?: () => void
  /** What becomes of each entry of the journal. */
  readonly append?: (entry: JournalEntry) => Promise<void>
}

export interface MemoryRoll {
  readonly clock: VirtualClock
  readonly cluster: MemoryCluster
  readonly balancer: MemoryBalancer
  readonly reboots: string[]
  readonly events: StampedEvent[]
  readonly machine: { rebooted: (node: string) => void }
  readonly begin: () => Promise<unknown>
  readonly ended: () => Extract<RollEvent, { type: 'roll.ended' }> | undefined
  readonly over: AbortController
}

/** The whole engine over three nodes in memory, in virtual time; machines come back 20 s after they were told to. */
export function memoryRoll({
  run = {},
  nodes = NODES,
  servers = SERVERS,
  readers,
  world,
  pair: pairOf,
  probe,
  silencer,
  kuredLocks: kuredLocksOf,
  seed = 1,
  portAnswers = true,
  onPortAsked = () => undefined,
  append = kept,
  ...ports
}: Asked = {}): MemoryRoll {
  const clock = world?.clock ?? new VirtualClock()
  const cluster = world?.cluster ?? new MemoryCluster(clock, nodes)
  const pair = pairOf?.(clock)
  const kuredLocks = kuredLocksOf?.({ clock, cluster })
  const balancer = pair ?? new MemoryBalancer(clock, servers)
  const reboots: string[] = []
  const events: StampedEvent[] = []
  const machine = { rebooted: (node: string): void => void comeBack(cluster, clock, node) }
  const state: RunState = { ...RUN, ...run }
  const begin = (): Promise<unknown> =>
    new RollEngine({
      run: state,
      clusterName: 'test',
      cluster,
      balancers: readers === undefined ? [balancer] : [],
      ...(readers === undefined ? {} : { endpoints: readers(cluster, clock) }),
      host: {
        check: () => Promise.reject(new Error('nobody plans here')),
        reboot: async ({ node }, bootId) => {
          if (pair?.has(node) === true) return pair.reboot(node, bootId)
          reboots.push(node)
          machine.rebooted(node)
          return { kind: 'sent' } as const
        },
        ownBootId: async () => undefined,
        close: async () => undefined,
      },
      ...(pair === undefined ? {} : { machines: pair.ssh }),
      dataPort: {
        answers: async () => {
          onPortAsked()
          return portAnswers
        },
      },
      journal: { run: state.id, append },
      firstSeq: 0,
      sink: (event) => events.push(event),
      clock,
      random: new SeededRandom(seed),
      ...(probe === undefined ? {} : { probe: probe(clock) }),
      ...(silencer === undefined ? {} : { silencing: { silencer, secret: async () => 'secret' } }),
      ...ports,
      ...(kuredLocks === undefined ? {} : { kuredLocks }),
    }).run(over.signal)
  const over = new AbortController()
  const ended = (): Extract<RollEvent, { type: 'roll.ended' }> | undefined =>
    events.find((event) => event.type === 'roll.ended')
  return { clock, cluster, balancer, reboots, events, machine, begin, ended, over }
}

/** Interrupted, whatever it does, and nothing left of it. */
export async function leave({ over, clock }: MemoryRoll, running: Promise<unknown>): Promise<void> {
  over.abort()
  await clock.advance(60_000)
  await running
}

const kept = (): Promise<void> => Promise.resolve()
const NODES = ['n1', 'n2', 'n3'].map((name) => aNode(name))
const SERVERS = ['n1', 'n2', 'n3'].map((name) => aServer(name))

const RUN: RunState = {
  id: 'run-1',
  spec: aSpec(),
  order: ['n1', 'n2', 'n3'],
  resumed: false,
  done: [],
  settledHere: [],
  verdict: undefined,
  measuredSince: undefined,
  effectsBefore: {},
}

async function comeBack(cluster: MemoryCluster, clock: VirtualClock, node: string): Promise<void> {
  const never = new AbortController().signal
  cluster.change(node, { ready: 'Unknown' })
  await clock.sleep(20_000, never)
  cluster.change(node, { ready: 'True', bootId: NEW_BOOT, heartbeat: 'at boot' })
  await clock.sleep(5000, never)
  cluster.change(node, { heartbeat: 'after it' })
}
