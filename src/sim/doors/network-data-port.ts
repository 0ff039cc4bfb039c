import type { DataPort } from '../../ground/ports/data-port.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { Network } from '../network/network.ts'

/** How long the caller waits for an answer by TCP. */
const LIMIT_MS = 1_000

/** A TCP connect over the network of the embedded cluster, closed at once. */
export function networkDataPort({ network, timers }: { readonly network: Network; readonly timers: Timers }): DataPort {
  return {
    answers: ({ address, port }, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>()
      if (signal.aborted) return Promise.reject(signal.reason)
      const onAbort = (): void => reject(signal.reason)
      const answered = (answers: boolean): void => {
        signal.removeEventListener('abort', onAbort)
        resolve(answers)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const giveUp = timers.later(LIMIT_MS, () => answered(false))
      network.dial({ host: address, port }, (dialled) => {
        if (dialled.kind === 'silent') return
        giveUp()
        if (dialled.kind === 'open') dialled.connection.close()
        answered(dialled.kind === 'open')
      })
      return promise
    },
  }
}
