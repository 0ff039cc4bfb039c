/** Undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface SpanEvent {
  readonly name: string
  /** Milliseconds since the epoch, like all times here. */
  readonly at: number
  readonly attributes: Attributes
}

export interface Span {
  /** Its place in the run, which is the same on each reading: empty, a node, or a node and the number of a step. */
  readonly path: readonly string[]
  readonly name: string
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  /** The error. Absent: none. */
  readonly error?: string
}

/** The span of an event: a step of a node, the node before its first step, or the run. */
export interface SpanPlace {
  readonly at: number
  readonly node?: string | undefined
  /** Absent: the step that is under way. */
  readonly step?: string | undefined
}
