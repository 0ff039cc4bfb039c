import type { DnsFinding } from '../../../dns/decide/diagnosis/finding.ts'
import type { DnsScene } from '../../../dns/decide/scene.ts'
import type { MonoMs } from '../../../ground/model/time.ts'

/** What one check of DNS has read. */
export interface DnsReading {
  readonly kind: 'seen'
  readonly begunAt: MonoMs
  readonly endedAt: MonoMs
  readonly findings: readonly DnsFinding[]
  readonly scene: DnsScene
  /** No Corefile could be read: if DNS does not know the zone, the roll may have asked for the wrong one. */
  readonly isZoneAssumed: boolean
  /** Nodes that it was to ask from, where the file has relays. */
  readonly from: readonly string[]
}

/** A check without a result. */
interface DnsUnknown {
  readonly kind: 'unknown'
  readonly begunAt: MonoMs
  readonly endedAt: MonoMs
  /** Absent: nothing of this cluster looks like DNS. */
  readonly why?: string
  readonly from: readonly string[]
}

/** The readings of DNS by this process. A pass never asks: checks run beside the passes. */
export interface DnsReadings {
  /** The newest check that has ended. */
  readonly last?: DnsReading | DnsUnknown
  /** The newest check with a result: it counts until another one has a result. */
  readonly seen?: DnsReading
  /** Since when a check is under way. */
  readonly askingSince?: MonoMs
}

/** Whether any question was asked from a place that reaches the cluster; if not, another check would be as useless. */
export function reachedCluster(last: NonNullable<DnsReadings['last']>): boolean {
  if (last.kind === 'unknown') return false
  const { vantages, paths } = last.scene
  const sound = new Set(vantages.flatMap(({ name, control }) => (control === 'fails' ? [] : [name])))
  return paths.some(({ vantage, reading: { udp } }) => udp !== 'notAsked' && sound.has(vantage))
}
