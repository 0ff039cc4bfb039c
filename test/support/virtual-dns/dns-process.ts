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
import { Leader } from '../../../src/ground/loop/leader.ts'
import { CONTROLLER_LEASE } from '../../../src/ground/model/lease.ts'
import { present } from '../../../src/ground/model/present.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { Clock } from '../../../src/ground/ports/clock.ts'
import { type ProcessOutside, ProcessPorts } from '../virtual-roll/process-ports.ts'
import type { Place } from './dns-faults.ts'
import type { DnsGround } from './dns-ground.ts'
import { askerAt, controlAt, countersOf, loopbackOf, relaysOf } from './place-ports.ts'

interface ProcessParts {
  readonly ground: DnsGround
  readonly place: Place
  readonly outside: ProcessOutside
  readonly hasRelays: boolean
  /** Hears of each node on which a relay is wanted. */
  readonly onRelay: (node: string) => void
  readonly clockAheadMs: number
  readonly perSecond: number
}

interface Life {
  readonly intervalMs: number
  /** Is called with each check, and hands its result on. */
  readonly around: (check: () => Promise<DnsCheck>) => Promise<DnsCheck>
  /** It leads no more, or something threw. */
  readonly onOver: (error?: unknown) => void
}

const TIMEOUT_MS = 1_000
const NAMESPACE = 'evenkeel'
const LEASE_MS = 15_000
const LOG = { debug: () => undefined, warn: () => undefined }

/** A process somewhere in the world that checks DNS, with what it has of that. */
export class DnsProcess {
  readonly ports: ProcessPorts
  readonly checks: CheckParts
  readonly #name: string
  readonly #clock: Clock

  constructor({ ground, place, outside, hasRelays, onRelay, clockAheadMs, perSecond }: ProcessParts) {
    const { cluster, network, pods } = ground
    this.#name = place.owner
    this.ports = new ProcessPorts({ cluster, outside, name: place.owner })
    const { clock: own, random, client } = this.ports
    const clock: Clock = {
      monoMs: () => own.monoMs(),
      wallMs: () => wallMs(own.wallMs() + clockAheadMs),
      asleepMs: () => own.asleepMs(),
      sleep: (ms, signal) => own.sleep(ms, signal),
    }
    this.#clock = clock
    const at = { ports: this.ports, network, place }
    const within = { ...at, pods, noWayTo: (node: string) => ground.noWayTo(node) }
    const refusalOf = (node: string): string | undefined => {
      onRelay(node)
      return ground.relayRefusal(node)
    }
    this.checks = {
      objects: kubeDnsObjects({ client, log: LOG }),
      asker: askerAt(at),
      control: controlAt(at),
      loopback: loopbackOf(within),
      counters: countersOf(within),
      clock,
      random,
      sought: {},
      timeoutMs: TIMEOUT_MS,
      queriesPerSecond: perSecond,
      ...present({ node: place.node }),
      ...(hasRelays ? { relays: [relaysOf({ ...at, refusalOf })] } : {}),
    }
  }

  /** The controller, as long as it lives. */
  run({ intervalMs, around, onOver }: Life): void {
    const { random, client, lifeline } = this.ports
    const clock = this.#clock
    const leader = new Leader({
      cluster: kubeLeaderLease(client),
      lease: { namespace: NAMESPACE, name: CONTROLLER_LEASE },
      identity: this.#name,
      durationMs: LEASE_MS,
      onChange: () => loop.wake(),
      ...{ clock, random },
    })
    const loop = this.#loop(leader, { intervalMs, around })
    const { signal } = new AbortController()
    const tell = (error?: unknown): void => {
      if (!lifeline.isDead) onOver(error)
    }
    leader.run(signal).then(() => tell(), tell)
    loop.run(signal).catch(tell)
  }

  #loop(leader: Leader, { intervalMs, around }: Pick<Life, 'intervalMs' | 'around'>): DnsLoop {
    const { random, client, configMaps } = this.ports
    const clock = this.#clock
    const identity = this.#name
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
