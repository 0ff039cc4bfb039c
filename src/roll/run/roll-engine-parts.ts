import type { WallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { ConfigMaps } from '../../ground/ports/config-maps.ts'
import type { DataPort } from '../../ground/ports/data-port.ts'
import type { Host } from '../../ground/ports/host.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { Balancer, BalancerReader } from '../../service/ports/balancer.ts'
import type { HostMachines } from '../ports/host-machines.ts'
import type { Journal } from '../ports/journal.ts'
import type { KuredLocks } from '../ports/kured-locks.ts'
import type { Probe } from '../ports/probe.ts'
import type { TimeWindows } from '../ports/time-windows.ts'
import type { RollDnsChecks } from './dns-watch.ts'
import type { EventSink } from './event-log.ts'
import type { RequestPorts } from './operator-requests.ts'
import type { RunState } from './run-state.ts'

/** What a roll runs on. */
export interface RollEngineParts extends RequestPorts {
  readonly run: RunState
  readonly clusterName: string
  readonly cluster: Cluster
  readonly balancers: readonly Balancer[]
  /** Load balancers that go by the agents of the nodes. */
  readonly endpoints?: readonly BalancerReader[]
  readonly host: Host
  /** Machines of the load balancers. Absent: none can be asked. */
  readonly machines?: HostMachines
  readonly dataPort: DataPort
  /** Absent: DNS is not asked. They are closed with the roll. */
  readonly dns?: RollDnsChecks
  /** Where the node budget stands; absent: one node may be out. */
  readonly configMaps?: Pick<ConfigMaps, 'read'>
  /** Absent: the lock of kured is only read. */
  readonly kuredLocks?: KuredLocks
  /** Of the roll file. Absent: where it has some, which ones is not known, and nothing is begun. */
  readonly timeWindows?: TimeWindows
  /** What this machine takes the time for now, where the clock of the run is none that can be set. */
  readonly machineWall?: () => WallMs
  readonly probe?: Probe
  readonly journal: Journal
  readonly firstSeq: number
  readonly sink: EventSink
  readonly clock: Clock
  readonly random: Random
}
