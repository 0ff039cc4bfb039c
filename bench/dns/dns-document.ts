/** What `bench/dns.ts` found. */
export type DnsDocument = SweepDocument | DeadPodDocument | RandomLossDocument | MemoryDocument

export interface SweepDocument {
  readonly bench: 'dns.sweep'
  readonly targets: number
  /** Of one sweep. */
  readonly queries: number
  readonly atOnce: number
  /** At most, which no sweep came near to. */
  readonly queriesPerSecond: number
  /** Queries of all sweeps that got no right answer. */
  readonly failed: number
  /** In order, the three in turns; the first sweep is that of a process that has compiled nothing yet. */
  readonly sweepMs: readonly number[]
  /** As many queries over UDP by a bare loop, each from a new socket too. */
  readonly bareMs: readonly number[]
  /** What dnsperf takes for as many, by as many kept sockets as queries are under way. Absent: it is not installed. */
  readonly dnsperfMs?: readonly number[]
  readonly byDefault: { readonly queriesPerSecond: number; readonly ms: number }
}

export interface DeadPodDocument {
  readonly bench: 'dns.deadPod'
  readonly timeoutMs: number
  readonly checks: number
  /** Checks that did not name the pod within two rounds. */
  readonly missed: number
  readonly tookMs: readonly number[]
  /** The timeouts and the pause between the rounds that such a check waits for, on the average. */
  readonly waitsMs: number
}

export interface RandomLossDocument {
  readonly bench: 'dns.randomLoss'
  readonly path: string
  readonly loss: number
  readonly rounds: number
  /** Rounds that saw something which the one before had not. */
  readonly alone: number
  /** What would have been said. */
  readonly falseAlarms: number
  readonly ms: number
}

export interface MemoryLook {
  readonly queries: number
  readonly residentMb: number
  /** After a collection. */
  readonly heapMb: number
}

export interface MemoryDocument {
  readonly bench: 'dns.memory'
  /** Absent: all are answered. */
  readonly dropOneIn?: number
  readonly atOnce: number
  readonly seconds: number
  readonly unanswered: number
  /** After each 100,000 queries. */
  readonly looks: readonly MemoryLook[]
}
