import { canonicalAddress } from '../../model/ip-address.ts'
import type { SocketEnd } from './socket-row.ts'

/** A TCP row of /proc/net/nf_conntrack: a connection as who opened it sees it, before any address was translated. */
export interface TrackedRow {
  readonly from: SocketEnd
  readonly to: SocketEnd
  /** As in the kernel's nf_conntrack_proto_tcp.c: ESTABLISHED, TIME_WAIT… */
  readonly state: string
}

/** The first of two tuples is the original one. */
const ROW = /\btcp\s+6\s+\d+ ([A-Z_0-9]+) src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+) /

/** Undefined for other protocols, and for what is no row. */
export function parseTrackedRow(line: string): TrackedRow | undefined {
  const [, state, source = '', destination = '', sourcePort, destinationPort] = ROW.exec(line) ?? []
  if (state === undefined) return undefined
  return {
    state,
    from: { address: canonicalAddress(source), port: Number(sourcePort) },
    to: { address: canonicalAddress(destination), port: Number(destinationPort) },
  }
}
