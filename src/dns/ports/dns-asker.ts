import type { Endpoint } from '../../ground/model/endpoint.ts'
import type { DnsOutcome, DnsQuestion } from '../model/dns.ts'

export interface DnsQuery {
  /** An IP address, never a name: the DNS under test must not resolve its own address. */
  readonly at: Endpoint
  readonly question: DnsQuestion
  readonly over: 'udp' | 'tcp'
  /**
   * UDP only. A connected socket learns that nothing listens (ICMP), and takes replies only from the queried address. An
   * unconnected socket also sees replies from other addresses.
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
  /** Rejects only by abort: each failure is an outcome. */
  ask(query: DnsQuery, signal: AbortSignal): Promise<DnsOutcome>
  canary(at: Endpoint): DnsCanary
}
