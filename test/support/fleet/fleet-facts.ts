/** One node as the world shows it: its Node, its machine, and its servers in the balancer. */
export interface NodeFact {
  readonly name: string
  readonly isReady: boolean
  readonly isCordoned: boolean
  /** The run whose record it bears. */
  readonly recordedBy?: string
  /** The owners of the claims on it. */
  readonly claimedBy: readonly string[]
  /** A server of it is not `ready`. */
  readonly isDetached: boolean
}

/** A slot that has a holder. */
export interface SlotFact {
  readonly index: number
  readonly holder: string
  readonly node: string
  /** When it was written last. */
  readonly writtenAtMs: number
}

/** A fleet at one moment, as it was read from the world; nothing of it by the code that is judged. */
export interface FleetFacts {
  readonly atMs: number
  readonly nodes: readonly NodeFact[]
  readonly slots: readonly SlotFact[]
  /** What `maxOut` of the budget says, word for word; undefined: there is no budget. */
  readonly maxOut: string | undefined
  /** Nodes whose cordons are granted. */
  readonly granted: readonly string[]
}

/** What a world has to say for itself at the end, beside the facts: nothing, where all is as it was. */
export interface Violation {
  readonly checker: string
  readonly atMs: number
  readonly text: string
}
