import { connect, type NetConnectOpts } from 'node:net'
import { addAbortSignal } from 'node:stream'
import type { Clock } from '../../../../ground/ports/clock.ts'
import type { SocketLimits } from './runtime-socket.ts'
import { badReply, connectionError, timedOut, unreachable } from './socket-error.ts'
import { withDeadline } from './with-deadline.ts'

interface Peer {
  readonly at: NetConnectOpts
  readonly limits: SocketLimits
  readonly clock: Clock
}

/**
 * Sends one line and reads until the peer closes: HAProxy's runtime API closes after the answer to a line. Our writing side
 * stays open meanwhile, because HAProxy may take a closed one for a client that went away.
 */
export function exchange({ at, limits, clock }: Peer, line: string, signal: AbortSignal): Promise<string> {
  const { deadlineMs } = limits
  const late = (): Error => timedOut(`no complete answer within ${deadlineMs} ms`)
  return withDeadline({ clock, ms: deadlineMs, late }, signal, (open) => collect({ at, limits }, line, open))
}

async function collect(
  { at, limits }: Pick<Peer, 'at' | 'limits'>,
  line: string,
  signal: AbortSignal,
): Promise<string> {
  const socket = addAbortSignal(signal, connect(at))
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    socket.write(`${line}\n`)
    for await (const received of socket) {
      const chunk: Buffer = received
      bytes += chunk.length
      if (bytes > limits.replyBytes) break
      chunks.push(chunk)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw bytes === 0 ? connectionError(error) : badReply('the answer broke off', error)
  } finally {
    socket.destroy()
  }
  if (bytes > limits.replyBytes) throw badReply(`the answer is longer than ${limits.replyBytes} bytes`)
  if (bytes === 0) throw unreachable('the connection was closed without an answer')
  return Buffer.concat(chunks).toString('utf8')
}
