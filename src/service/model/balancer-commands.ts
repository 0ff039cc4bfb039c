/** A balancer of any kind, by commands that run on this machine, without a shell. */
export interface BalancerCommands {
  /** `{node}`, `{address}` and `{port}` are replaced in each argument. */
  readonly detach: readonly string[]
  readonly attach: readonly string[]
  /** Prints one JSON object, the state of that node: see `StatusReading`. */
  readonly status: readonly string[]
  /** Ends the sessions that are left on the node. Absent: they end with its pods. */
  readonly cut?: readonly string[]
  /** Where the nodes serve what the balancer sends them. */
  readonly dataPort: number
  /** Each command is killed after that, with all that it started. */
  readonly timeoutMs: number
  /** The time between two status commands for one node. */
  readonly intervalMs: number
}

/** The state of a node that the balancer knows: sent new traffic, not sent any, or on its way from one to the other. */
export const STATUS_STATES = ['in', 'leaving', 'out', 'returning'] as const
export type StatusState = (typeof STATUS_STATES)[number]

/** What the status command printed about a node. */
export type StatusReading =
  | { readonly heard: true; readonly state: StatusState; readonly sessions: number | 'unknown' }
  /** The command gave no answer that can be read. */
  | { readonly heard: false; readonly why: string }
