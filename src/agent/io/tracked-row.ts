import { canonicalAddress } from '../../ground/model/ip-address.ts'
import { present } from '../../ground/model/present.ts'
import type { SocketEnd } from './socket-row.ts'

/** A TCP row of /proc/net/nf_conntrack: a connection as its client sees it, before address translation. */
export interface TrackedRow {
  readonly from: SocketEnd
  readonly to: SocketEnd
  /** The answering address is not the one that was called: rules lead the connection elsewhere. */
  readonly isTranslated: boolean
  /** As in the kernel's nf_conntrack_proto_tcp.c: ESTABLISHED, TIME_WAIT… Absent where hardware or a flowtable has it. */
  readonly state?: string
}

/** The first of two tuples is the original one. */
const TUPLE = 'src=(\\S+) dst=(\\S+) sport=(\\d+) dport=(\\d+) '
const ROW = new RegExp(
  `\\btcp\\s+6 (?:\\d+ ([A-Z_0-9]+) )?${TUPLE}(?:packets=\\d+ bytes=\\d+ )?(?:\\[UNREPLIED\\] )?src=(\\S+) `,
)

/** Undefined for other protocols, and for a text that is no row. */
export function parseTrackedRow(line: string): TrackedRow | undefined {
  const [whole, state, source = '', destination = '', sport, dport, answerer = ''] = ROW.exec(line) ?? []
  if (whole === undefined) return undefined
  const to = canonicalAddress(destination)
  return {
    from: { address: canonicalAddress(source), port: Number(sport) },
    to: { address: to, port: Number(dport) },
    isTranslated: canonicalAddress(answerer) !== to,
    ...present({ state }),
  }
}
