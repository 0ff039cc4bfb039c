import type { Duplex } from 'node:stream'
import { errorCode } from '../socket-outcome.ts'
import type { Sockets, UdpSocket } from '../sockets.ts'
import { addressBytes, FRAME, type Frame, frame, PAYLOAD_BYTES_MAX, readAddress, readFrames } from './frames.ts'

/** A check has some hundred under way at once. */
const SOCKETS_MAX = 1_024

/** What the relay holds for a check, under its number. */
interface Held {
  readonly take: (is: number, rest: Buffer) => boolean
  readonly close: () => void
}

/** Serves one check over `stream` until that ends, by `sockets`. A frame that makes no sense ends it. Never throws. */
export function serveRelay(stream: Duplex, sockets: Sockets): void {
  const held = new Map<number, Held>()
  const say = (socket: number, is: number, rest?: Buffer): void => {
    if (stream.writable) stream.write(frame(socket, is, rest))
  }
  const fail = (socket: number, error: unknown): void => say(socket, FRAME.error, codeOf(error))
  const forget = (socket: number): void => {
    held.get(socket)?.close()
    held.delete(socket)
  }
  const open = ({ socket, is, rest }: Frame): boolean => {
    const at = readAddress(rest)?.at
    if (at === undefined || held.has(socket)) return false
    if (held.size >= SOCKETS_MAX) {
      fail(socket, Object.assign(new Error('too many sockets'), { code: 'EMFILE' }))
      return true
    }
    const hands: Hands = { say: (what, bytes) => say(socket, what, bytes), fail: (error) => fail(socket, error) }
    try {
      held.set(socket, is === FRAME.openUdp ? heldUdp(sockets.udp(at), hands) : heldTcp(sockets.tcp(at), hands))
    } catch (error) {
      fail(socket, error)
    }
    return true
  }
  const take = (asked: Frame): boolean => {
    const { socket, is, rest } = asked
    if (is === FRAME.openUdp || is === FRAME.openTcp) return open(asked)
    if (is === FRAME.ping) say(socket, FRAME.pong)
    else if (is === FRAME.close) forget(socket)
    // A socket that could not be opened was said to have failed: what was sent to it before that was heard is let go.
    else return held.get(socket)?.take(is, rest) ?? true
    return true
  }
  readFrames(stream, (asked) => {
    if (!take(asked)) stream.destroy()
  })
  stream.on('error', () => stream.destroy())
  stream.on('close', () => {
    for (const socket of [...held.keys()]) forget(socket)
  })
}

interface Hands {
  readonly say: (is: number, rest?: Buffer) => void
  readonly fail: (error: unknown) => void
}

const codeOf = (error: unknown): Buffer => Buffer.from(errorCode(error) || String(error).slice(0, 200), 'utf8')

function heldUdp(socket: UdpSocket, { say, fail }: Hands): Held {
  const done = (error?: Error | null): void => say(FRAME.done, error ? codeOf(error) : undefined)
  socket.listen({
    onMessage: (bytes, { address, port }) =>
      say(FRAME.message, Buffer.concat([addressBytes({ address, port }), bytes.subarray(0, PAYLOAD_BYTES_MAX)])),
    onError: fail,
  })
  return {
    take: (is, rest) => {
      if (is === FRAME.send) {
        socket.send(rest, undefined, done)
        return true
      }
      const to = readAddress(rest)
      if (to === undefined || (is !== FRAME.connect && is !== FRAME.sendTo)) return false
      if (is === FRAME.connect) socket.connect(to.at, done)
      else socket.send(to.rest, to.at, done)
      return true
    },
    close: () => socket.close(),
  }
}

function heldTcp(connection: Duplex, { say, fail }: Hands): Held {
  connection.on('connect', () => say(FRAME.done))
  connection.on('data', (bytes: Buffer) => {
    for (let from = 0; from < bytes.length; from += PAYLOAD_BYTES_MAX)
      say(FRAME.data, bytes.subarray(from, from + PAYLOAD_BYTES_MAX))
  })
  connection.on('error', fail)
  connection.on('close', () => say(FRAME.closed))
  return {
    take: (is, rest) => {
      if (is !== FRAME.send) return false
      connection.write(rest)
      return true
    },
    close: () => connection.destroy(),
  }
}
