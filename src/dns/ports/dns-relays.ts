import type { ControlProbe } from './control-probe.ts'
import type { DnsAsker } from './dns-asker.ts'

/** A place within the cluster that sends queries for this program. */
export interface DnsRelay {
  /** As a vantage. */
  readonly name: string
  /** Absent: not known. */
  readonly node?: string
  readonly asker: DnsAsker
  readonly control: ControlProbe
  /** False once the relay is lost: its queries are then `notAsked`. */
  readonly isOpen: () => boolean
}

export interface OpenRelays {
  readonly relays: readonly DnsRelay[]
  /** Why other relays could not be made, and how these send their queries: sentences. */
  readonly notes: readonly string[]
  /** Some relays could not be made, and a later try may succeed. */
  readonly isLacking: boolean
  /**
   * Deletes everything that was made in the cluster; resolves with a sentence for each thing that could not be deleted. Rejects
   * only by abort.
   */
  close(signal: AbortSignal): Promise<readonly string[]>
}

/** Makes relays: containers of this program, or scripts in others, which end by themselves where no check is connected to them. */
export interface DnsRelays {
  /**
   * Makes one relay on each of these nodes, or in the one place that was configured. Rejects only by abort, and then leaves
   * nothing behind.
   */
  open(nodes: readonly string[], signal: AbortSignal): Promise<OpenRelays>
}
