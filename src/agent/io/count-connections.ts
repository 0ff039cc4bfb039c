import type { SocketEnd, SocketRow } from './socket-row.ts'

/** The result of the rows so far. */
export interface ConnectionsSeen {
  /** A process listens at the data port, at an address that other machines reach. */
  readonly listens: boolean
  readonly open: number
}

export const NONE_SEEN: ConnectionsSeen = { listens: false, open: 0 }

export interface ConnectionsWanted {
  readonly port: number
  /** A loopback address whose listener counts as well. */
  readonly address?: string
  /** Whether the connection is one of this process. */
  readonly isOwn: (peer: SocketEnd) => boolean
}

/** Of the kernel's tcp_states.h. TIME_WAIT (06) is the memory of a connection, SYN_RECV (03) is not one yet. */
const LISTEN = '0A'
const FIN_WAIT2 = '05'
/** ESTABLISHED, FIN_WAIT1, CLOSE_WAIT, LAST_ACK, CLOSING: something may still be under way. */
const OPEN: readonly string[] = ['01', '04', '08', '09', '0B']

export function withRow(seen: ConnectionsSeen, row: SocketRow, wanted: ConnectionsWanted): ConnectionsSeen {
  if (row.local.port !== wanted.port) return seen
  if (row.state === LISTEN) return isReached(row.local.address, wanted) ? { ...seen, listens: true } : seen
  return isOpen(row) && !wanted.isOwn(row.peer) ? { ...seen, open: seen.open + 1 } : seen
}

/** A connection whose data was all acknowledged, and that no process reads any more, is over. */
const isOpen = ({ state, inode }: SocketRow): boolean => OPEN.includes(state) || (state === FIN_WAIT2 && inode !== '0')

/**
 * No connection from outside reaches a loopback address. By network rules a port of the node may not lead to a process that
 * only listens there, and such connections are in no table of this namespace.
 */
const isReached = (address: string, wanted: ConnectionsWanted): boolean =>
  address === wanted.address || !(address.startsWith('127.') || address === LOOPBACK6)

const LOOPBACK6 = '0:0:0:0:0:0:0:1'
