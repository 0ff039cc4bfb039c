import { canonicalAddress } from '../../ground/model/ip-address.ts'

export interface SocketEnd {
  readonly address: string
  readonly port: number
}

/** A row of /proc/net/tcp or tcp6 (proc(5)). */
export interface SocketRow {
  readonly local: SocketEnd
  readonly peer: SocketEnd
  /** As in the kernel's tcp_states.h, two hexadecimal digits. */
  readonly state: string
  /** `0` where no process has it. */
  readonly inode: string
}

const WORD = /[0-9A-F]{8}/g
const END = /^((?:[0-9A-F]{8}){1}|(?:[0-9A-F]{8}){4}):([0-9A-F]{4})$/

/** Undefined for the heading, and for a text that is no row. */
export function parseSocketRow(line: string): SocketRow | undefined {
  const [, local = '', peer = '', state = '', , , , , , inode = ''] = line.trim().split(/\s+/)
  const [here, there] = [endOf(local), endOf(peer)]
  return here === undefined || there === undefined ? undefined : { local: here, peer: there, state, inode }
}

function endOf(text: string): SocketEnd | undefined {
  const [, address = '', port = ''] = END.exec(text) ?? []
  return address === '' ? undefined : { address: addressOf(address), port: Number.parseInt(port, 16) }
}

/** The kernel prints an address as words of the machine: on a little-endian one the last of four bytes comes first. */
function addressOf(hex: string): string {
  const words = (hex.match(WORD) ?? []).map((word) => (word.match(/../g) ?? []).toReversed().join(''))
  const [first = ''] = words
  if (words.length === 1) return (first.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.')
  return canonicalAddress((words.join('').match(/.{4}/g) ?? []).join(':').toLowerCase())
}
