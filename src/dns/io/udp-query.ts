import { canonicalAddress } from '../../ground/model/ip-address.ts'
import { OVER } from '../../ground/model/over.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { DnsOutcome, Mismatch } from '../model/dns.ts'
import { type Asked, readReply } from './message.ts'
import { errorCode, ownOutcome, socketOutcome } from './socket-outcome.ts'
import type { UdpListeners, UdpSocket } from './sockets.ts'

interface By {
  readonly socket: UdpSocket
  readonly clock: Clock
}

/** One query from a connected socket, which is used for it alone or again and again: what fits no query is not counted. */
export async function askConnected({ socket, clock }: By, asked: Asked, signal: AbortSignal): Promise<DnsOutcome> {
  const { at, message } = asked
  return untilReply({ socket, asked, clock }, signal, ({ settle, mismatch }, sentAt) => {
    const send = (): void =>
      socket.send(message.bytes, undefined, (error) => {
        // A filter of this machine that rejects says EPERM first, and then, as one elsewhere does, that nothing listens.
        if (errorCode(error) === 'EPERM')
          socket.send(message.bytes, undefined, (again) => again && settle(socketOutcome(again)))
        else if (error) settle(ownOutcome(error))
      })
    if (socket.isConnected) send()
    else socket.connect(at, (error) => (error ? settle(ownOutcome(error)) : send()))
    return (bytes) => {
      const reply = readReply(bytes, message)
      if (typeof reply === 'string') mismatch(reply)
      else settle({ kind: 'reply', reply, afterMs: clock.monoMs() - sentAt() })
    }
  })
}

/** One query from a socket that takes replies from anywhere; one that fits and comes from elsewhere is `wrongSource`. */
export async function askUnconnected({ socket, clock }: By, asked: Asked, signal: AbortSignal): Promise<DnsOutcome> {
  const { at, message } = asked
  return untilReply({ socket, asked, clock }, signal, ({ settle, mismatch }, sentAt) => {
    socket.send(message.bytes, at, (error) => error && settle(ownOutcome(error)))
    return (bytes, from) => {
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
  })
}

/** Timers of a process that gets its turns are not so late. */
const HELD_UP_MS = 10

interface Hands {
  readonly settle: (outcome: DnsOutcome) => void
  readonly mismatch: (what: Mismatch) => void
}

/** `begin` sends, and returns what hears messages. */
async function untilReply(
  { socket, asked, clock }: By & { readonly asked: Asked },
  signal: AbortSignal,
  begin: (hands: Hands, sentAt: () => number) => UdpListeners['onMessage'],
): Promise<DnsOutcome> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<DnsOutcome>()
  const over = new AbortController()
  let mismatch: { what: Mismatch; count: number } | undefined
  const noteMismatch = (what: Mismatch): void => {
    mismatch = { what: mismatch?.what ?? what, count: (mismatch?.count ?? 0) + 1 }
  }
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const sentAt = clock.monoMs()
  const onMessage = begin({ settle: resolve, mismatch: noteMismatch }, () => sentAt)
  const stopListening = socket.listen({ onMessage, onError: (error) => resolve(socketOutcome(error)) })
  const waited = async (): Promise<void> => {
    await clock.sleep(asked.timeoutMs, over.signal)
    // A process that is held up hears nothing meanwhile: its reply may be there already.
    const heldUpMs = clock.monoMs() - sentAt - asked.timeoutMs
    if (heldUpMs > HELD_UP_MS) await clock.sleep(Math.min(heldUpMs, asked.timeoutMs), over.signal)
    resolve(mismatch === undefined ? { kind: 'timeout' } : { kind: 'mismatch', ...mismatch })
  }
  waited().catch(() => undefined)
  try {
    return await promise
  } finally {
    over.abort(OVER)
    stopListening()
    signal.removeEventListener('abort', onAbort)
  }
}
