/** What `bench/ingress.ts` found for a fleet of one size. */
export interface IngressDocument {
  readonly bench: 'ingress'
  /** An embedded API server, or the whole control plane of the test bed. */
  readonly api: 'embedded' | 'real'
  readonly nodes: number
  readonly objects: number
  readonly pods: number
  /** How Node ran: as the chart runs controllers, or as it runs agents. */
  readonly way: 'chart' | 'jitless'
  /** From nothing to every node in service: seconds, and writes for each node. */
  readonly made: { readonly seconds: number; readonly processorMs: number; readonly writesPerNode: number }
  /** Processor time from the start of the process to the end of the first pass of each object. */
  readonly firstPassMs: number
  readonly idle: {
    readonly seconds: number
    /** Of one core, while each node writes its status every five minutes. */
    readonly percent: number
    readonly writes: number
    readonly residentMb: number
  }
  /** From the change of a node to the status that says what was decided, of the slower one of the objects. */
  readonly cordon: {
    readonly count: number
    readonly p50Ms: number
    readonly p99Ms: number
    readonly maxMs: number
    /** For a node that leaves and comes back. */
    readonly processorMs: number
  }
}
