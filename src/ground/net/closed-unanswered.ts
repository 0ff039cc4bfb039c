import type { ClientRequest } from 'node:http'
import { errorCode } from './error-text.ts'

/** The other side has closed: before we wrote, or after. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/**
 * A server may close a kept connection at any time, also while the next request is on its way to it (RFC 9112, 9.3.1 and 9.8). Whoever
 * sent a GET repeats it then. The answer tells of the error of this request whether it may be repeated: the connection had carried
 * requests before, the other side closed it, and no byte of an answer had come. Call it before the request has its connection.
 *
 * Law: only a GET on a kept connection that was closed before the first byte of its answer is repeated.
 */
export function closedUnanswered(request: ClientRequest): (error: Error) => boolean {
  let readBefore = 0
  request.once('socket', (socket) => {
    readBefore = socket.bytesRead
  })
  return (error) =>
    request.method === 'GET' &&
    request.reusedSocket &&
    CLOSED.has(errorCode(error)) &&
    request.socket?.bytesRead === readBefore
}
