import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { Family } from '../../../src/sim/machines/families.ts'

/** How DNS is set up in a cluster, before anything is at fault. */
export interface DnsSetup {
  readonly workload: 'Deployment' | 'DaemonSet'
  readonly families: readonly Family[]
  /** The place of the check has no IPv6, where the cluster has both. */
  readonly lacksIpv6: boolean
  readonly isHostNetwork: boolean
  readonly hasWindows: boolean
  /** There is room for the pods of DNS and no more. */
  readonly isFull: boolean
  /** NodeLocal DNSCache answers at the address of the Service. */
  readonly hasCaches: boolean
  /** What else leads to the pods, or runs some. */
  readonly beside: 'nothing' | 'deployment' | 'service' | 'nodePort'
  readonly policy: 'none' | 'local' | 'affinity'
  /** No other pod lets anybody in. */
  readonly isIsolated: boolean
  readonly corefile: 'standard' | 'namespaces' | 'noForward' | 'fallthrough' | 'variable'
  /** Of all packets over UDP. */
  readonly lost: number
  readonly clocksAheadMs: readonly number[]
  /** Clients ask all the time. */
  readonly hasLoad: boolean
}

const oneOf = <T>(random: SeededRandom, all: readonly [T, ...T[]]): T => all[random.below(all.length)] ?? all[0]

/** Of its own chance, so that what else is drawn for a seed stays what it is. */
export function dnsSetup(seed: string): DnsSetup {
  const random = new SeededRandom(`dns setup ${seed}`)
  const chance = (share: number): boolean => random.next() < share
  const workload = chance(0.15) ? 'DaemonSet' : 'Deployment'
  const families = oneOf<readonly Family[]>(random, [['IPv4'], ['IPv4'], ['IPv4'], ['IPv4', 'IPv6'], ['IPv6']])
  const isUneven = chance(0.25)
  const drawn: DnsSetup = {
    workload,
    families,
    lacksIpv6: families.length === 2 && chance(0.4),
    isHostNetwork: chance(0.12),
    hasWindows: chance(0.2),
    isFull: workload === 'Deployment' && chance(0.12),
    hasCaches: chance(0.15),
    beside: chance(0.7) ? 'nothing' : oneOf(random, ['deployment', 'service', 'nodePort']),
    policy: isUneven ? (workload === 'DaemonSet' ? 'local' : 'affinity') : 'none',
    isIsolated: chance(0.3),
    corefile: chance(0.65) ? 'standard' : oneOf(random, ['namespaces', 'noForward', 'fallthrough', 'variable']),
    lost: chance(0.2) ? 0.001 : 0,
    clocksAheadMs: Array.from({ length: 8 }, () => (chance(0.15) ? Math.round(random.between(-120_000, 120_000)) : 0)),
    hasLoad: chance(0.3),
  }
  // All of them would have the port of the node.
  const isCrowded = drawn.isHostNetwork && workload === 'DaemonSet' && drawn.beside === 'deployment'
  return isCrowded ? { ...drawn, beside: 'nothing' } : drawn
}
