/** What `bench/guard.ts` found for a fleet of one size. */
export interface GuardDocument {
  readonly bench: 'guard'
  readonly nodes: number
  readonly holds: number
  /** From nothing to a guard on every node: seconds, and writes for each node. */
  readonly made: { readonly seconds: number; readonly writesPerNode: number }
  /** Processor time from the start of the process until it is at rest, where all guards are there. */
  readonly firstPassMs: number
  readonly idle: {
    readonly seconds: number
    /** Of one core, while each node writes its status every five minutes. */
    readonly percent: number
    readonly writes: number
    readonly residentMb: number
  }
  /** From the cordon of a node to the write that opens its budget. */
  readonly grant: {
    readonly count: number
    readonly p50Ms: number
    readonly p99Ms: number
    readonly maxMs: number
    /** For a node that is cordoned, granted and uncordoned. */
    readonly processorMs: number
    readonly writes: number
  }
}
