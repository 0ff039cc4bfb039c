import { connect } from 'node:net'
import type { DataPort } from '../../ports/data-port.ts'

/** A TCP connect that is closed at once: whether something listens, and no more. */
export class TcpDataPort implements DataPort {
  answers(at: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    if (signal.aborted) return Promise.reject(signal.reason)
    const socket = connect({ host: at.address, port: at.port })
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    return promise.finally(() => {
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
    })
  }
}
