import { kubeDnsObjects } from '../../../src/dns/io/kube-dns-objects.ts'
import { kubeDnsRepairer } from '../../../src/dns/io/kube-dns-repairer.ts'
import { kubeServiceConditions } from '../../../src/dns/io/kube-service-conditions.ts'
import { AnnouncedHealth } from '../../../src/dns/run/announced-health.ts'
import { type CheckParts, type DnsCheck, DnsChecks } from '../../../src/dns/run/check-dns.ts'
import { DnsLoop } from '../../../src/dns/run/dns-loop.ts'
import { LoopRepair } from '../../../src/dns/run/loop-repair.ts'
import { PastRepairs } from '../../../src/dns/run/past-repairs.ts'
import { kubeLeaderLease } from '../../../src/ground/kube/kube-leader-lease.ts'
import { kubeObjectNotices } from '../../../src/ground/kube/kube-object-notices.ts'
import { present } from '../../../src/ground/model/present.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { Clock } from '../../../src/ground/ports/clock.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { type ProcessOutside, ProcessPorts } from '../virtual-roll/process-ports.ts'
import type { Place } from './dns-faults.ts'
import type { DnsNetwork } from './dns-network.ts'
import type { DnsPods } from './dns-pods.ts'
import { askerAt, controlAt, loopbackOf, relaysOf } from './place-ports.ts'

interface ProcessParts {
  readonly cluster: VirtualCluster
  readonly network: DnsNetwork
  readonly pods: DnsPods
  readonly name: string
  readonly place: Place
  readonly outside: ProcessOutside
  /** Absent: there are no relays. */
  readonly relays?: {
    readonly refusalOf: (node: string) => string | undefined
    readonly onOpen: (change: 1 | -1) => void
  }
  readonly noWayTo: (node: string) => string | undefined
  readonly clockAheadMs: number
}

const TIMEOUT_MS = 1_000
const NAMESPACE = 'evenkeel'
const LOG = { debug: () => undefined, warn: () => undefined }

/** A process somewhere in the world that checks DNS, with what it has of that. */
export class DnsProcess {
  readonly ports: ProcessPorts
  readonly checks: CheckParts
  readonly #name: string
  readonly #clock: Clock

  constructor({ cluster, network, pods, name, place, outside, relays, noWayTo, clockAheadMs }: ProcessParts) {
    this.ports = new ProcessPorts({ cluster, outside, name })
    this.#name = name
    const { clock: own, random, client } = this.ports
    const clock: Clock = {
      monoMs: () => own.monoMs(),
      wallMs: () => wallMs(own.wallMs() + clockAheadMs),
      asleepMs: () => own.asleepMs(),
      sleep: (ms, signal) => own.sleep(ms, signal),
    }
    this.#clock = clock
    const at = { ports: this.ports, network, place }
    this.checks = {
      objects: kubeDnsObjects({ client, log: LOG }),
      asker: askerAt(at),
      control: controlAt(at),
      loopback: loopbackOf({ ...at, pods, noWayTo }),
      clock,
      random,
      sought: {},
      timeoutMs: TIMEOUT_MS,
      ...present({ node: place.node }),
      ...(relays === undefined ? {} : { relays: [relaysOf({ ...at, ...relays })] }),
    }
  }

  /** The loop of the controller. `around` is called with each check, and hands its result on. */
  loop(intervalMs: number, around: (check: () => Promise<DnsCheck>) => Promise<DnsCheck>): DnsLoop {
    const { random, client, configMaps } = this.ports
    const clock = this.#clock
    const identity = this.#name
    const leader = { isLeading: () => true }
    const notices = kubeObjectNotices({ client, clock, random, identity })
    const repair = new LoopRepair({
      leases: kubeLeaderLease(client),
      lease: { namespace: NAMESPACE, name: 'evenkeel-dns-repair' },
      repairer: kubeDnsRepairer({ client, log: LOG }),
      past: new PastRepairs(configMaps, NAMESPACE),
      log: LOG,
      ...{ clock, random, identity, notices, leader },
    })
    const checks = new DnsChecks(this.checks)
    return new DnsLoop({
      checks: {
        next: (options, signal) => around(() => checks.next(options, signal)),
        close: () => checks.close(),
      },
      health: new AnnouncedHealth({ conditions: kubeServiceConditions({ client, log: LOG }), notices, clock }),
      log: LOG,
      ...{ repair, leader, intervalMs, clock, random },
    })
  }
}
