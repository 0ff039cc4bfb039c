import type { Duplex } from 'node:stream'
import { OVER } from '../../ground/model/over.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { DnsOutcome } from '../model/dns.ts'
import { type Asked, readReply } from './message.ts'
import { socketOutcome } from './socket-outcome.ts'

const LENGTH_BYTES = 2

interface AskedOfStream extends Omit<Asked, 'at'> {
  /** A connection of its own for the query, which need not be made yet. */
  readonly open: () => Duplex
}

/** One query over a new connection (RFC 7766 8: two octets of length before each message). */
export async function askStream(
  { open, message, timeoutMs }: AskedOfStream,
  clock: Clock,
  signal: AbortSignal,
): Promise<DnsOutcome> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<DnsOutcome>()
  const over = new AbortController()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const begunAt = clock.monoMs()
  const socket = open()
  let received = Buffer.alloc(0)
  socket.write(framed(message.bytes))
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    const whole = received.length < LENGTH_BYTES ? undefined : LENGTH_BYTES + received.readUInt16BE(0)
    if (whole === undefined || received.length < whole) return
    // One query is under way on it: whatever comes first is the reply, or the server's fault.
    const reply = readReply(received.subarray(LENGTH_BYTES, whole), message)
    if (typeof reply === 'string') resolve({ kind: 'mismatch', what: reply, count: 1 })
    else resolve({ kind: 'reply', reply, afterMs: clock.monoMs() - begunAt })
  })
  socket.on('error', (error) => resolve(socketOutcome(error)))
  socket.on('close', () => resolve({ kind: 'closed' }))
  clock.sleep(timeoutMs, over.signal).then(
    () => resolve({ kind: 'timeout' }),
    () => undefined,
  )
  try {
    return await promise
  } finally {
    over.abort(OVER)
    signal.removeEventListener('abort', onAbort)
    socket.destroy()
  }
}

function framed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}
