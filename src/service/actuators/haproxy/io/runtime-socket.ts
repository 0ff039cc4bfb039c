/** A connection to the runtime API of a HAProxy process (management.txt 9.3), local or over ssh. */
export interface RuntimeSocket {
  /** Sends one line of commands on a connection of its own; resolves with the whole reply. WorldError BALANCER_*. */
  send(line: string, signal: AbortSignal): Promise<string>
  /** Leaves nothing behind: no process, no file. */
  close(): Promise<void>
}

export interface SocketLimits {
  /** From the first byte of the connection to the last byte of the reply. */
  readonly deadlineMs: number
  readonly replyBytes: number
}

/** 16 MiB are the states and statistics of some 30 000 servers. */
export const USUAL_LIMITS: SocketLimits = { deadlineMs: 5_000, replyBytes: 16 * 1024 * 1024 }
