import type { HostReading, RebootAnswer } from '../model/host.ts'

export interface HostTarget {
  readonly node: string
  /** The first InternalIP, for drivers that want an address. */
  readonly address: string
}

/** The machines under the nodes, and the one we run on. */
export interface Host {
  /** Reads and never writes. WorldError HOST_* when the machine cannot be asked. */
  check(target: HostTarget, signal: AbortSignal): Promise<HostReading>
  /** Acts only where the machine still bears `expectedBootId`. Never rejects but by abort: not knowing is an answer. */
  reboot(target: HostTarget, expectedBootId: string, signal: AbortSignal): Promise<RebootAnswer>
  /** Of the machine this process runs on; undefined where it does not tell. */
  ownBootId(signal: AbortSignal): Promise<string | undefined>
  /** Lets go of connections that are kept open. */
  close(): Promise<void>
}
