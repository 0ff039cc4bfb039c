import type { Endpoint } from '../../ground/model/endpoint.ts'
import type { DnsOutcome, DnsQuestion } from '../model/dns.ts'

export interface DnsQuery {
  /** An IP address, never a name: what is tested is not asked for its own address. */
  readonly at: Endpoint
  readonly question: DnsQuestion
  readonly over: 'udp' | 'tcp'
  /**
   * UDP alone. A connected socket hears that nothing listens (ICMP), and takes replies from where it asked; one that is
   * not connected sees replies that come from elsewhere.
   */
  readonly socket?: 'connected' | 'unconnected'
  readonly timeoutMs: number
}

/** Queries that all leave from one port, as those of a resolver that keeps its socket. */
export interface DnsCanary {
  ask(question: DnsQuestion, timeoutMs: number, signal: AbortSignal): Promise<DnsOutcome>
  close(): void
}

/** Asks DNS servers. Each query leaves from a new port and has an unpredictable id. */
export interface DnsAsker {
  /** Rejects by abort alone: what goes wrong is an outcome. */
  ask(query: DnsQuery, signal: AbortSignal): Promise<DnsOutcome>
  canary(at: Endpoint): DnsCanary
}
