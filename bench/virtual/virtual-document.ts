/** What `bench/virtual.ts` found; times are of one processor, in ms. */
export type VirtualDocument = EventsDocument | VirtualRollDocument

export interface EventsDocument {
  readonly bench: 'virtual.events'
  /** Committed writes, each delivered to its watchers. */
  readonly events: number
  readonly ms: number
  /** As many writes of the same objects to a store without watchers and without time. */
  readonly bareMs: number
  readonly nodes: number
  readonly virtualS: number
}

export interface VirtualRollDocument {
  readonly bench: 'virtual.roll'
  readonly nodes: number
  /** The median of `times`. */
  readonly ms: number
  /** In order; the first is that of a process which has compiled nothing yet. */
  readonly times: readonly number[]
  readonly virtualS: number
  readonly outcome: string
  /** The most that the process had, cluster, engine and Node together. */
  readonly peakMb: number
}
