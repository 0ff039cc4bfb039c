import type { ControlProbe } from './control-probe.ts'
import type { DnsAsker } from './dns-asker.ts'

/** A place within the cluster that asks for us. */
export interface DnsRelay {
  /** As a vantage. */
  readonly name: string
  /** Absent: not known. */
  readonly node?: string
  readonly asker: DnsAsker
  readonly control: ControlProbe
  /** False once it was lost: what it is asked then is `notAsked`. */
  readonly isOpen: () => boolean
}

export interface OpenRelays {
  readonly relays: readonly DnsRelay[]
  /** Why others were not to be had, and how those that are there ask: sentences. */
  readonly notes: readonly string[]
  /** Some could not be made, and a later try may make them. */
  readonly isLacking: boolean
  /** Takes away all that was made in the cluster; resolves with what could not be, a sentence each. Rejects by abort alone. */
  close(signal: AbortSignal): Promise<readonly string[]>
}

/** Makes relays: containers of this program, or scripts in others, which end by themselves where no check is connected to them. */
export interface DnsRelays {
  /** One on each of these nodes, or where it is set up for one other place, there. Rejects by abort alone, and leaves nothing behind then. */
  open(nodes: readonly string[], signal: AbortSignal): Promise<OpenRelays>
}
