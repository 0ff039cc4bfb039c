import type { HostReading, RebootAnswer } from '../model/host.ts'

export interface HostTarget {
  readonly node: string
  /** The first InternalIP, for drivers that need an address. */
  readonly address: string
}

/** The machines of the nodes, and the one that we run on. */
export interface Host {
  /** Reads and never writes. WorldError HOST_* where the machine cannot be asked. */
  check(target: HostTarget, signal: AbortSignal): Promise<HostReading>
  /** Acts only if the machine still has `expectedBootId`. Rejects only when aborted: "unknown" is an answer. */
  reboot(target: HostTarget, expectedBootId: string, signal: AbortSignal): Promise<RebootAnswer>
  /** The boot id of the machine that this process runs on; undefined where it cannot be read. */
  ownBootId(signal: AbortSignal): Promise<string | undefined>
  /** Closes connections that are kept open. */
  close(): Promise<void>
}
