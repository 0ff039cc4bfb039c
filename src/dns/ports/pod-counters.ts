import type { UdpCounts } from '../model/udp-counts.ts'

export interface CountersAt {
  readonly namespace: string
  readonly name: string
  /** Of its metrics. */
  readonly port: number
}

export type CountersReading =
  | { readonly kind: 'counts'; readonly counts: UdpCounts }
  /** The port refuses, or what answers there does not give these counters: another port may. `text`: a sentence. */
  | { readonly kind: 'elsewhere'; readonly text: string }
  /** The pod could not be asked at all, for want of rights or since it does not answer. `text`: a sentence. */
  | { readonly kind: 'unknown'; readonly text: string }

/** Reads what a pod of DNS counts itself. Its word is that of its process: whether answers have arrived is not in it. */
export interface PodCounters {
  /** Rejects by abort alone. */
  udpCounts(at: CountersAt, signal: AbortSignal): Promise<CountersReading>
}
