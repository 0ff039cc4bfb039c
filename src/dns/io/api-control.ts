import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import type { Endpoint } from '../../ground/model/endpoint.ts'
import type { ControlProbe } from '../ports/control-probe.ts'
import { getOver } from './http-over.ts'
import type { Sockets } from './sockets.ts'

/** An answer to /version is some hundred bytes long. */
const ANSWER_BYTES_MAX = 64 * 1024

/**
 * Asks /version without a credential and wants what an API server says: a version, or that it tells none. A connect alone proves
 * nothing, since there are networks whose proxy takes every connection. The certificate is not looked at: nothing is told to it, and
 * the one that a kubeconfig trusts may be that of a balancer.
 */
export class ApiControl implements ControlProbe {
  readonly #sockets: Pick<Sockets, 'tcp'>

  constructor(sockets: Pick<Sockets, 'tcp'>) {
    this.#sockets = sockets
  }

  reaches(api: Endpoint, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    if (signal.aborted) return Promise.reject(signal.reason)
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const stream = this.#sockets.tcp(api)
    const secure = connect({ socket: stream, rejectUnauthorized: false })
    for (const one of [stream, secure]) one.on('error', () => resolve(false))
    // What ended before it closed may have brought an answer, which is still to be read: the request knows.
    stream.once('close', () => stream.readableEnded || resolve(false))
    ask(secure).then(resolve, () => resolve(false))
    return promise.finally(() => {
      signal.removeEventListener('abort', onAbort)
      secure.destroy()
      stream.destroy()
    })
  }
}

async function ask(connection: Duplex): Promise<boolean> {
  const { text } = await getOver(connection, {
    path: '/version',
    host: 'kubernetes.default.svc',
    accept: 'application/json',
    bytesMax: ANSWER_BYTES_MAX,
  })
  const { gitVersion, kind } = (JSON.parse(text) ?? {}) as { readonly gitVersion?: unknown; readonly kind?: unknown }
  return typeof gitVersion === 'string' || kind === 'Status'
}
