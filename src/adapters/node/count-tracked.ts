import type { SocketEnd } from './socket-row.ts'
import type { TrackedRow } from './tracked-row.ts'

/** What rows have told so far. */
export interface TrackedSeen {
  /** A check that this process has just made is there: connections to the port are tracked. */
  readonly hasOwn: boolean
  /** One from another machine is there, in whatever state: its way in is tracked, too. */
  readonly hasOthers: boolean
  readonly open: number
}

export const NONE_TRACKED: TrackedSeen = { hasOwn: false, hasOthers: false, open: 0 }

export interface TrackedWanted {
  readonly port: number
  /** Canonical, of this machine: who connects to the same port elsewhere is a client of somebody else. */
  readonly addresses: ReadonlySet<string>
  readonly isOwn: (end: SocketEnd) => boolean
  /** From where this process asked last, however long ago. */
  readonly lastOwnPorts: readonly number[]
}

/** Both sides have said the last of it, or one has cut it. */
export const OVER: readonly string[] = ['TIME_WAIT', 'CLOSE', 'LAST_ACK']

export function withTracked(seen: TrackedSeen, row: TrackedRow, wanted: TrackedWanted): TrackedSeen {
  const { from, to, state } = row
  if (to.port !== wanted.port || !isHere(to.address, wanted)) return seen
  const hasOwn = seen.hasOwn || (isHere(from.address, wanted) && wanted.lastOwnPorts.includes(from.port))
  const hasOthers = seen.hasOthers || !isHere(from.address, wanted)
  const isOpen = !OVER.includes(state) && !wanted.isOwn(from)
  return { hasOwn, hasOthers, open: seen.open + (isOpen ? 1 : 0) }
}

const isHere = (address: string, { addresses }: TrackedWanted): boolean =>
  addresses.has(address) || address.startsWith('127.')
