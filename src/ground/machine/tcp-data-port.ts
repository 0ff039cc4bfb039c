import { connect, type Socket } from 'node:net'
import { canonicalAddress } from '../model/ip-address.ts'
import { WorldError } from '../model/world-error.ts'
import { errorCode, errorText } from '../net/error-text.ts'
import { isOwnFault } from '../net/failure-class.ts'
import type { DataPort } from '../ports/data-port.ts'

type Connected = (from: { readonly address: string; readonly port: number }) => void

/** A TCP connect that is closed at once: it only shows whether something listens. */
export class TcpDataPort implements DataPort {
  readonly #onConnected: Connected | undefined

  /** `onConnected` gets the local address of the connection. */
  constructor(onConnected?: Connected) {
    this.#onConnected = onConnected
  }

  answers(at: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    if (signal.aborted) return Promise.reject(signal.reason)
    const socket = begun(at)
    if (socket === undefined) return Promise.resolve(false)
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once('connect', () => {
      const { localAddress, localPort } = socket
      if (localAddress !== undefined && localPort !== undefined)
        this.#onConnected?.({ address: canonicalAddress(localAddress), port: localPort })
      resolve(true)
    })
    socket.once('error', (error) => (isOwnFault(errorCode(error)) ? reject(unasked(error)) : resolve(false)))
    return promise.finally(() => {
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
    })
  }
}

/** Undefined where Node refuses to try: nothing listens at an invalid address or port. */
function begun({ address, port }: { readonly address: string; readonly port: number }): Socket | undefined {
  try {
    return connect({ host: address, port })
  } catch {
    return undefined
  }
}

const unasked = (error: Error): WorldError =>
  new WorldError(`this machine can make no connection to the data port: ${errorText(error)}`, {
    code: 'DATA_PORT_UNASKED',
    retry: 'backoff',
    cause: error,
  })
