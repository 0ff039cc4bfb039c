import type { DnsScene } from '../../../src/dns/decide/scene.ts'
import type { RolledWorkload } from '../../../src/dns/model/repair-reading.ts'
import type { DnsRepairer } from '../../../src/dns/ports/dns-repairer.ts'
import type { DnsCheck } from '../../../src/dns/run/check-dns.ts'
import { PastRepairs } from '../../../src/dns/run/past-repairs.ts'
import { type RepairOrBusy, repairAlone } from '../../../src/dns/run/repair-alone.ts'
import { repairDns } from '../../../src/dns/run/repair-dns.ts'
import type { ConfigMap } from '../../../src/ground/model/config-map.ts'
import type { EvictionAnswer } from '../../../src/ground/model/eviction.ts'
import type { UserError } from '../../../src/ground/model/user-error.ts'
import type { WorldError } from '../../../src/ground/model/world-error.ts'
import { aPodOfDns, aScene, SILENT } from '../../dns/decide/a-scene.ts'
import { aCheck } from '../../dns/run/a-check.ts'
import { type LeaseFault, LeaseStore } from '../lease-store.ts'
import { SeededRandom } from '../seeded-random.ts'
import { VirtualClock } from '../virtual-clock.ts'

export const REPAIR_LEASE = { namespace: 'evenkeel', name: 'evenkeel-dns-repair' }
export const SICK = aScene({ pods: { a: SILENT } })
export const WELL = aScene({ change: { pods: [aPodOfDns('b'), aPodOfDns('c')] } })
export const ONE = aScene({ change: { pods: [aPodOfDns('b')] } })

/** What a check sees, or why it sees nothing. */
export type Seen = DnsScene | WorldError | UserError

/** A cluster whose DNS is as `scenes` say, one check after the other, the last one for good. */
export class RepairWorld {
  readonly clock = new VirtualClock()
  readonly leases = new LeaseStore(this.clock)
  readonly touched: string[] = []
  readonly said: string[] = []
  kind: 'Deployment' | 'DaemonSet' = 'Deployment'
  isReplaced = false
  leaseFault: LeaseFault = 'none'
  /** What the API server says to the quarantine of a pod, where it does not do it. */
  refusal: WorldError | undefined
  eviction: EvictionAnswer = { kind: 'accepted' }
  onCheck: () => void = () => undefined
  kept: ConfigMap | undefined
  cordoned: readonly string[] = []
  /** How many pods of DNS its workload wants, at each time that this is asked: the last number for good. */
  wanted: readonly number[] = [2]
  readonly #scenes: Seen[]

  constructor(...scenes: Seen[]) {
    this.#scenes = scenes
  }

  get outcomes(): readonly string[] {
    return JSON.parse(this.kept?.data['repairs.json'] ?? '[]').map(
      ({ pod, outcome }: Record<string, string>) => `${pod} ${outcome}`,
    )
  }

  readonly check = async (): Promise<DnsCheck> => {
    this.onCheck()
    const scene = this.#scenes.length > 1 ? this.#scenes.shift() : this.#scenes[0]
    if (scene === undefined || scene instanceof Error) throw scene ?? new Error('there is no scene')
    return aCheck(scene, { selector: { 'k8s-app': 'kube-dns' }, rounds: 2 })
  }

  /** From now on. */
  becomes(...scenes: Seen[]): void {
    this.#scenes.splice(0, this.#scenes.length, ...scenes)
  }

  get past(): PastRepairs {
    const read = async () => this.kept
    const write = async (written: ConfigMap) => {
      this.kept = { ...written, resourceVersion: '1' }
      return this.kept
    }
    return new PastRepairs({ read, write }, 'evenkeel')
  }

  get repairer(): DnsRepairer {
    return {
      read: async () => ({
        budgets: {},
        proxies: [],
        cordoned: this.cordoned,
        downNodes: [],
        quarantined: [],
        workload: this.#workload(),
      }),
      workload: async () => this.#workload(),
      quarantine: async ({ name }) => {
        this.touched.push(`quarantine ${name} (${this.outcomes})`)
        if (this.refusal !== undefined) throw this.refusal
        return !this.isReplaced
      },
      evict: async ({ name }) => {
        this.touched.push(`evict ${name}`)
        return this.eviction
      },
    }
  }

  #workload(): RolledWorkload {
    const [desired = 0, ...later] = this.wanted
    if (later.length > 0) this.wanted = later
    return {
      name: 'coredns',
      kind: this.kind,
      desired,
      total: desired,
      updated: desired,
      ready: desired,
      isObserved: true,
    }
  }

  alone(identity: string) {
    const { clock } = this
    const leases = this.leases.client()
    leases.fault = this.leaseFault
    return { leases, clock, random: new SeededRandom(1), lease: REPAIR_LEASE, identity }
  }

  /** `identity`: of its process. It goes on as time does. */
  begin(signal: AbortSignal, identity = 'me'): Promise<RepairOrBusy> {
    const { check, repairer, past, clock } = this
    const parts = { check, repairer, past, clock, say: (text: string) => this.said.push(text) }
    return repairAlone(this.alone(identity), (leader) => repairDns(parts, leader, signal), signal)
  }

  /** Until it is over. */
  async repair(signal = new AbortController().signal): Promise<RepairOrBusy> {
    let isOver = false
    const running = this.begin(signal).finally(() => {
      isOver = true
    })
    running.catch(() => undefined)
    while (!isOver) await this.clock.advance(500)
    return running
  }
}
