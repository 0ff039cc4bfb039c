import type { SocketEnd } from './socket-row.ts'
import type { TrackedRow } from './tracked-row.ts'

/** What rows have told so far. */
export interface TrackedSeen {
  /** A check that this process has just made is there: connections to the port are tracked. */
  readonly hasOwn: boolean
  /** One from another address than the machine's is there, in whatever state: its way in is tracked, too. */
  readonly hasOthers: boolean
  readonly open: number
  /** Of these, those that rules lead elsewhere: no socket of this machine has them. */
  readonly openElsewhere: number
}

export const NONE_TRACKED: TrackedSeen = { hasOwn: false, hasOthers: false, open: 0, openElsewhere: 0 }

export interface TrackedWanted {
  readonly port: number
  /** Canonical, of this machine: a client of the same port elsewhere belongs to another machine. */
  readonly addresses: ReadonlySet<string>
  readonly isOwn: (end: SocketEnd) => boolean
  /** From where this process asked last, however long ago. */
  readonly lastOwnPorts: readonly number[]
}

/** Both sides have said their last and heard that of the other, or one has cut it. */
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
