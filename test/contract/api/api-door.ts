interface DoorReply {
  readonly status: number
  readonly body: unknown
  readonly retryAfter?: string
}

export interface Ask {
  readonly body?: unknown
  readonly contentType?: string
  /** Media types of the answer; JSON where absent. */
  readonly accept?: string
}

/** One event of a watch, as it came. */
export interface SeenEvent {
  readonly type: string
  readonly object: unknown
}

export interface OpenWatch {
  readonly events: readonly SeenEvent[]
  /** Resolves when the other side has ended it. */
  readonly ended: Promise<void>
  close(): void
}

/** A way to an API, as the contract asks it: nothing of Even Keel's own between. */
export interface ApiDoor {
  ask(method: string, path: string, ask?: Ask): Promise<DoorReply>
  /** Resolves once the watch is under way. `hear` is told of each event as it comes. */
  watch(path: string, hear?: (event: SeenEvent) => void): Promise<OpenWatch>
}
