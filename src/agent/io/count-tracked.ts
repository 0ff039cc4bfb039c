import type { SocketEnd } from './socket-row.ts'
import type { TrackedRow } from './tracked-row.ts'

/** The result of the rows so far. */
export interface TrackedSeen {
  /** A check that this process has just made is in the table: connections to the port are tracked. */
  readonly hasOwn: boolean
  /** A connection from another address than the machine's is in the table, in any state: its way is tracked, too. */
  readonly hasOthers: boolean
  readonly open: number
  /** Those of them that rules lead elsewhere: no socket of this machine has them. */
  readonly openElsewhere: number
}

export const NONE_TRACKED: TrackedSeen = { hasOwn: false, hasOthers: false, open: 0, openElsewhere: 0 }

export interface TrackedWanted {
  readonly port: number
  /** Canonical addresses of this machine: a client of the same port at another address belongs to another machine. */
  readonly addresses: ReadonlySet<string>
  readonly isOwn: (end: SocketEnd) => boolean
  /** The source ports of this process's last checks, however long ago. */
  readonly lastOwnPorts: readonly number[]
}

/** Both sides have closed and confirmed, or one has reset it. */
const OVER: readonly (string | undefined)[] = ['TIME_WAIT', 'CLOSE']

export function withTracked(seen: TrackedSeen, row: TrackedRow, wanted: TrackedWanted): TrackedSeen {
  const { from, to } = row
  if (to.port !== wanted.port || !isHere(to.address, wanted)) return seen
  const hasOwn = seen.hasOwn || (isHere(from.address, wanted) && wanted.lastOwnPorts.includes(from.port))
  const hasOthers = seen.hasOthers || !isHere(from.address, wanted)
  const open = OVER.includes(row.state) || wanted.isOwn(from) ? 0 : 1
  return {
    hasOwn,
    hasOthers,
    open: seen.open + open,
    openElsewhere: seen.openElsewhere + (row.isTranslated ? open : 0),
  }
}

const isHere = (address: string, { addresses }: TrackedWanted): boolean =>
  addresses.has(address) || address.startsWith('127.')
