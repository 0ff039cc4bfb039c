import type { DnsCheck } from '../../../src/controllers/dns/check-dns.ts'
import { PastRepairs } from '../../../src/controllers/dns/past-repairs.ts'
import { type RepairOrBusy, repairAlone } from '../../../src/controllers/dns/repair-alone.ts'
import { repairDns } from '../../../src/controllers/dns/repair-dns.ts'
import { diagnose } from '../../../src/core/dns/diagnosis/diagnose.ts'
import type { DnsScene } from '../../../src/core/dns/scene.ts'
import { verdictOf } from '../../../src/core/dns/verdict.ts'
import type { ConfigMap } from '../../../src/model/config-map.ts'
import type { EvictionAnswer } from '../../../src/model/eviction.ts'
import { WorldError } from '../../../src/model/world-error.ts'
import { aPodOfDns, aScene, SILENT } from '../../core/dns/a-scene.ts'
import { LeaseStore } from '../lease-store.ts'
import { SeededRandom } from '../seeded-random.ts'
import { VirtualClock } from '../virtual-clock.ts'

export const REPAIR_LEASE = { namespace: 'evenkeel', name: 'evenkeel-dns-repair' }
const WORKLOAD = { name: 'coredns', desired: 2, total: 2, updated: 2, ready: 2, isObserved: true }
export const SICK = aScene({ pods: { a: SILENT } })
export const WELL = aScene({ change: { pods: [aPodOfDns('b'), aPodOfDns('c')] } })
export const ONE = aScene({ change: { pods: [aPodOfDns('b')] } })

/** A cluster whose DNS is as `scenes` say, one check after the other, the last one for good. */
export class RepairWorld {
  readonly clock = new VirtualClock()
  readonly leases = new LeaseStore(this.clock)
  readonly touched: string[] = []
  readonly said: string[] = []
  kind: 'Deployment' | 'DaemonSet' = 'Deployment'
  isReplaced = false
  eviction: EvictionAnswer = { kind: 'accepted' }
  onCheck: () => void = () => undefined
  kept: ConfigMap | undefined
  readonly #scenes: (DnsScene | WorldError)[]

  constructor(...scenes: (DnsScene | WorldError)[]) {
    this.#scenes = scenes
  }

  get outcomes(): readonly string[] {
    return JSON.parse(this.kept?.data['repairs.json'] ?? '[]').map(
      ({ pod, outcome }: Record<string, string>) => `${pod} ${outcome}`,
    )
  }

  readonly #check = async (): Promise<DnsCheck> => {
    this.onCheck()
    const scene = this.#scenes.length > 1 ? this.#scenes.shift() : this.#scenes[0]
    if (scene === undefined || scene instanceof WorldError) throw scene ?? new Error('there is no scene')
    const findings = diagnose(scene)
    const facts = { zone: 'cluster.local', apiAddresses: [], dnsService: { namespace: '', name: '', addresses: [] } }
    return {
      verdict: verdictOf(findings),
      findings,
      scene,
      facts,
      selector: { 'k8s-app': 'kube-dns' },
      notes: [],
      queries: 1,
      queriesPerSecond: 800,
      rounds: 2,
      tookMs: 1,
    }
  }

  /** `identity`: of its process. It goes on as time does. */
  begin(signal: AbortSignal, identity = 'me'): Promise<RepairOrBusy> {
    const { clock, leases } = this
    const configMaps = {
      read: async () => this.kept,
      write: async (written: ConfigMap) => {
        this.kept = { ...written, resourceVersion: '1' }
        return this.kept
      },
    }
    const repairer = {
      ground: async () => ({ budgets: {}, proxies: [], cordoned: [], workload: { ...WORKLOAD, kind: this.kind } }),
      quarantine: async ({ name }: { readonly name: string }) => {
        this.touched.push(`quarantine ${name} (${this.outcomes})`)
        return !this.isReplaced
      },
      evict: async ({ name }: { readonly name: string }) => {
        this.touched.push(`evict ${name}`)
        return this.eviction
      },
    }
    const past = new PastRepairs(configMaps, 'evenkeel')
    const parts = { check: this.#check, repairer, past, clock, say: (text: string) => this.said.push(text) }
    const alone = { leases: leases.client(), clock, random: new SeededRandom(1), lease: REPAIR_LEASE, identity }
    return repairAlone(alone, (leader) => repairDns(parts, leader, signal), signal)
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
