import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Endpoint } from '../../../ground/model/endpoint.ts'

/**
 * What goes between a check and a relay, over one connection: many sockets of the relay, each by a number that the check chose.
 * A frame is two octets of length, as before a DNS message over TCP, then four of the socket, one of what is meant, and the rest.
 */
export const FRAME = {
  /** To the relay. The rest of `openUdp` and `openTcp` is an address. */
  openUdp: 1,
  openTcp: 2,
  connect: 3,
  send: 4,
  /** An address, then the message. */
  sendTo: 5,
  close: 6,
  ping: 7,
  /** From the relay. `done` answers one `connect`, `send` or `sendTo`, in their order: empty, or the code of the error. */
  done: 32,
  /** Where it is from, then the message. */
  message: 33,
  data: 34,
  error: 35,
  closed: 36,
  pong: 37,
} as const

export interface Frame {
  readonly socket: number
  readonly is: number
  readonly rest: Buffer
}

const LENGTH_BYTES = 2
const HEAD_BYTES = 5
/** Of a frame without its length. */
const FRAME_BYTES_MAX = 65_535
/** What a frame carries at most beside an address: more than any DNS message that came over UDP. */
export const PAYLOAD_BYTES_MAX = FRAME_BYTES_MAX - 128

export function frame(socket: number, is: number, rest: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(LENGTH_BYTES + HEAD_BYTES)
  head.writeUInt16BE(HEAD_BYTES + rest.length)
  head.writeUInt32BE(socket, LENGTH_BYTES)
  head.writeUInt8(is, LENGTH_BYTES + 4)
  return Buffer.concat([head, rest])
}

/** Calls `each` with every whole frame that comes. What is no frame destroys the stream. */
export function readFrames(stream: Duplex, each: (frame: Frame) => void): void {
  let received: Buffer = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    for (;;) {
      if (stream.destroyed || received.length < LENGTH_BYTES) return
      const length = received.readUInt16BE(0)
      if (length < HEAD_BYTES) {
        stream.destroy(new Error(`a frame of ${length} octets is too short`))
        return
      }
      if (received.length < LENGTH_BYTES + length) return
      const whole = received.subarray(LENGTH_BYTES, LENGTH_BYTES + length)
      received = received.subarray(LENGTH_BYTES + length)
      each({ socket: whole.readUInt32BE(0), is: whole.readUInt8(4), rest: whole.subarray(HEAD_BYTES) })
    }
  })
}

/** Two octets of port, one of the length of the address, and that as text. */
export function addressBytes({ address, port }: Endpoint): Buffer {
  const text = Buffer.from(address, 'latin1')
  const bytes = Buffer.alloc(3)
  bytes.writeUInt16BE(port)
  bytes.writeUInt8(text.length, 2)
  return Buffer.concat([bytes, text])
}

/** The address that begins these bytes, and what follows it; undefined where none does: a name is no address. */
export function readAddress(bytes: Buffer): { readonly at: Endpoint; readonly rest: Buffer } | undefined {
  if (bytes.length < 3) return undefined
  const length = bytes.readUInt8(2)
  const address = bytes.subarray(3, 3 + length).toString('latin1')
  if (isIP(address) === 0) return undefined
  return { at: { address, port: bytes.readUInt16BE(0) }, rest: bytes.subarray(3 + length) }
}
