import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { OVER } from '../../../ground/model/over.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Sockets } from '../sockets.ts'
import { serveRelay } from './serve-relay.ts'

interface RelayParts {
  /** 0: any that is free. */
  readonly port: number
  /** Without a connection for so long it is done: its check is over or dead. */
  readonly idleLimitMs: number
  readonly sockets: Sockets
  readonly clock: Clock
}

interface OpenRelay {
  readonly port: number
  /** Resolves after the idle limit, when all is closed. Rejects with the signal's reason, all closed as well. */
  done(signal: AbortSignal): Promise<void>
}

/** The pod's loopback alone: a client that reaches it there may run commands in the pod as well. */
const HOST = '127.0.0.1'

/** Rejects with the system's error where the port cannot be had. */
export async function openRelay({ port, idleLimitMs, sockets, clock }: RelayParts): Promise<OpenRelay> {
  const { promise: isIdle, resolve } = Promise.withResolvers<void>()
  let connections = 0
  let countdown = new AbortController()
  const wait = (): void => {
    countdown = new AbortController()
    clock.sleep(idleLimitMs, countdown.signal).then(resolve, () => undefined)
  }
  const open = new Set<{ destroy(): void }>()
  const server = createServer({ noDelay: true }, (connection) => {
    connections += 1
    countdown.abort(OVER)
    open.add(connection)
    connection.once('close', () => {
      connections -= 1
      open.delete(connection)
      if (connections === 0) wait()
    })
    serveRelay(connection, sockets)
  })
  server.listen(port, HOST)
  await once(server, 'listening')
  wait()
  return {
    port: (server.address() as AddressInfo).port,
    done: async (signal) => {
      const { promise: stopped, reject } = Promise.withResolvers<never>()
      const onAbort = (): void => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
      try {
        await Promise.race([isIdle, stopped])
      } finally {
        signal.removeEventListener('abort', onAbort)
        countdown.abort(OVER)
        server.close()
        for (const connection of open) connection.destroy()
      }
    },
  }
}
