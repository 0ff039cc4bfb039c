import type { SocketEnd, SocketRow } from './socket-row.ts'

/** What rows have told so far. */
export interface ConnectionsSeen {
  /** A process listens at the data port, at an address that other machines reach. */
  readonly listens: boolean
  readonly open: number
}

export const NONE_SEEN: ConnectionsSeen = { listens: false, open: 0 }

export interface ConnectionsWanted {
  readonly port: number
  /** Where a listener counts though it is a loopback address. */
  readonly address?: string
  /** Whether it is this process that asks from there. */
  readonly isOwn: (peer: SocketEnd) => boolean
}

/** Of the kernel's tcp_states.h. TIME_WAIT (06) is a memory of a connection, SYN_RECV (03) is none yet. */
const LISTEN = '0A'
const FIN_WAIT2 = '05'
/** ESTABLISHED, FIN_WAIT1, CLOSE_WAIT, LAST_ACK, CLOSING: something may still be under way. */
const OPEN: readonly string[] = ['01', '04', '08', '09', '0B']

export function withRow(seen: ConnectionsSeen, row: SocketRow, wanted: ConnectionsWanted): ConnectionsSeen {
  if (row.local.port !== wanted.port) return seen
  if (row.state === LISTEN) return isReached(row.local.address, wanted) ? { ...seen, listens: true } : seen
  return isOpen(row) && !wanted.isOwn(row.peer) ? { ...seen, open: seen.open + 1 } : seen
}

/** What all of it was acknowledged of, and no process reads from any more, is over. */
const isOpen = ({ state, inode }: SocketRow): boolean => OPEN.includes(state) || (state === FIN_WAIT2 && inode !== '0')

/**
 * No connection from outside reaches a loopback address. By the rules of its network a port of the node does not lead to a
 * process that listens there alone, and such connections are in no table of this namespace.
 */
const isReached = (address: string, wanted: ConnectionsWanted): boolean =>
  address === wanted.address || !(address.startsWith('127.') || address === LOOPBACK6)

const LOOPBACK6 = '0:0:0:0:0:0:0:1'
