import type { DnsOutcome, DnsQuestion } from '../model/dns.ts'

export interface LoopbackQuery {
  readonly pod: { readonly namespace: string; readonly name: string; readonly port: number }
  readonly question: DnsQuestion
  readonly timeoutMs: number
}

/** Asks a pod on its own loopback, over TCP: past the pod network, so that its process alone is what answers. */
export interface PodLoopback {
  /** Rejects by abort alone. `notAsked`: there is no way into the pod, for want of rights or since its node is not reached. */
  ask(query: LoopbackQuery, signal: AbortSignal): Promise<DnsOutcome>
}
