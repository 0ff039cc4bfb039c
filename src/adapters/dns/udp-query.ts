import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { isIP } from 'node:net'
import type { DnsOutcome, Mismatch } from '../../model/dns.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import { canonicalAddress } from '../../model/ip-address.ts'
import { OVER } from '../../model/over.ts'
import type { Clock } from '../../ports/clock.ts'
import { type Asked, readReply } from './message.ts'
import { errorCode, socketOutcome } from './socket-outcome.ts'

interface By {
  readonly socket: Socket
  readonly clock: Clock
}

/** An address is taken as it is. Left to itself Node would look it up by a thread of its pool. */
const lookup = (address: string, _options: unknown, done: (...found: [null, string, number]) => void): void =>
  done(null, address, isIP(address))

/** Throws what the system refuses: no descriptors are left, for one. */
export const udpSocket = ({ address }: Endpoint): Socket =>
  createSocket({ type: isIP(address) === 6 ? 'udp6' : 'udp4', lookup } as Parameters<typeof createSocket>[0])

/** One query from a connected socket, which is used for it alone or again and again: what fits no query is not counted. */
export async function askConnected({ socket, clock }: By, asked: Asked, signal: AbortSignal): Promise<DnsOutcome> {
  const { at, message } = asked
  return untilReply({ socket, asked, clock }, signal, ({ settle, mismatch }, sentAt) => {
    const onMessage = (bytes: Buffer): void => {
      const reply = readReply(bytes, message)
      if (typeof reply === 'string') mismatch(reply)
      else settle({ kind: 'reply', reply, afterMs: clock.monoMs() - sentAt() })
    }
    socket.on('message', onMessage)
    const send = (): void =>
      socket.send(message.bytes, (error) => {
        // A filter of this machine that rejects says EPERM first, and then, as one elsewhere does, that nothing listens.
        if (errorCode(error) === 'EPERM') socket.send(message.bytes, (again) => again && settle(socketOutcome(again)))
        else if (error) settle(socketOutcome(error))
      })
    if (isConnected(socket)) send()
    else
      socket.connect(at.port, at.address, ((error?: Error) =>
        error ? settle(socketOutcome(error)) : send()) as () => void)
    return () => socket.off('message', onMessage)
  })
}

/** One query from a socket that takes replies from anywhere; one that fits and comes from elsewhere is `wrongSource`. */
export async function askUnconnected({ socket, clock }: By, asked: Asked, signal: AbortSignal): Promise<DnsOutcome> {
  const { at, message } = asked
  return untilReply({ socket, asked, clock }, signal, ({ settle, mismatch }, sentAt) => {
    const onMessage = (bytes: Buffer, from: RemoteInfo): void => {
      const reply = readReply(bytes, message)
      const isPeer = from.port === at.port && canonicalAddress(from.address) === canonicalAddress(at.address)
      if (typeof reply !== 'string')
        settle(
          isPeer
            ? { kind: 'reply', reply, afterMs: clock.monoMs() - sentAt() }
            : { kind: 'wrongSource', from: `${canonicalAddress(from.address)} port ${from.port}` },
        )
      else if (isPeer) mismatch(reply)
    }
    socket.on('message', onMessage)
    socket.send(message.bytes, at.port, at.address, (error) => error && settle(socketOutcome(error)))
    return () => socket.off('message', onMessage)
  })
}

interface Hands {
  readonly settle: (outcome: DnsOutcome) => void
  readonly mismatch: (what: Mismatch) => void
}

/** `begin` listens and sends, and returns what takes its listener away. */
async function untilReply(
  { socket, asked, clock }: By & { readonly asked: Asked },
  signal: AbortSignal,
  begin: (hands: Hands, sentAt: () => number) => () => void,
): Promise<DnsOutcome> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<DnsOutcome>()
  const over = new AbortController()
  let mismatch: { what: Mismatch; count: number } | undefined
  const noteMismatch = (what: Mismatch): void => {
    mismatch = { what: mismatch?.what ?? what, count: (mismatch?.count ?? 0) + 1 }
  }
  const onError = (error: Error): void => resolve(socketOutcome(error))
  const onAbort = (): void => reject(signal.reason)
  socket.on('error', onError)
  signal.addEventListener('abort', onAbort, { once: true })
  const sentAt = clock.monoMs()
  const stopListening = begin({ settle: resolve, mismatch: noteMismatch }, () => sentAt)
  clock.sleep(asked.timeoutMs, over.signal).then(
    () => resolve(mismatch === undefined ? { kind: 'timeout' } : { kind: 'mismatch', ...mismatch }),
    () => undefined,
  )
  try {
    return await promise
  } finally {
    over.abort(OVER)
    stopListening()
    socket.off('error', onError)
    signal.removeEventListener('abort', onAbort)
  }
}

function isConnected(socket: Socket): boolean {
  try {
    socket.remoteAddress()
    return true
  } catch {
    return false
  }
}
