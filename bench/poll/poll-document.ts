/** Processor time that a second of polls takes, in ms: of HAProxy, and of the process that asks. */
export interface PollCost {
  readonly haproxyMs: number
  readonly oursMs: number
}

/** What `bench/poll.ts` found: the median of its rounds. */
export interface PollDocument {
  readonly bench: 'poll'
  readonly haproxy: string
  readonly servers: number
  readonly rounds: number
  /** Everything is read each time. */
  readonly whole: PollCost
  /** Everything at every fourth poll, and the servers of one node at the others. */
  readonly looks: PollCost
  readonly loadAverage: number
}
