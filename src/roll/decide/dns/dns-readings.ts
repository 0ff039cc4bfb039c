import type { Finding } from '../../../dns/decide/diagnosis/finding.ts'
import type { DnsScene } from '../../../dns/decide/scene.ts'
import type { MonoMs } from '../../../ground/model/time.ts'

/** What DNS answered, as a check saw it. */
export interface DnsReading {
  readonly kind: 'seen'
  readonly begunAt: MonoMs
  readonly endedAt: MonoMs
  readonly findings: readonly Finding[]
  readonly scene: DnsScene
  /** No Corefile could be read: that DNS knows nothing of the zone may be the fault of the roll, which asks. */
  readonly isZoneAssumed: boolean
}

/** A check that came to nothing. */
interface DnsUnknown {
  readonly kind: 'unknown'
  readonly begunAt: MonoMs
  readonly endedAt: MonoMs
  /** Absent: nothing of this cluster looks like DNS. */
  readonly why?: string
}

/** What this process knows of DNS. A pass never asks: checks run beside it. */
export interface DnsReadings {
  /** The newest check that has ended. */
  readonly last?: DnsReading | DnsUnknown
  /** The newest that saw something: it counts until another one does. */
  readonly seen?: DnsReading
  /** Since when a check is under way. */
  readonly askingSince?: MonoMs
}

/** Whether anything was asked from a place that reaches the cluster: where nothing was, another check would tell no more. */
export function reachedCluster(last: NonNullable<DnsReadings['last']>): boolean {
  if (last.kind === 'unknown') return false
  const { vantages, paths } = last.scene
  const sound = new Set(vantages.flatMap(({ name, control }) => (control === 'fails' ? [] : [name])))
  return paths.some(({ vantage, reading: { udp } }) => udp !== 'notAsked' && sound.has(vantage))
}
