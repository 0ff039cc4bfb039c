import { get } from 'node:http'
import { errorCode, errorText } from './error-text.ts'

/** Enough for a page with some hundred addresses. */
const BODY_BYTES_MAX = 256 * 1024

interface PagePlace {
  readonly address: string
  readonly port: number
  readonly path: string
}

type ReadPage =
  | { readonly status: number; readonly body: string }
  /** `code` is Node's, empty where there is none. */
  | { readonly error: string; readonly code: string }

/** One GET over a connection of its own. Rejects only with the signal's reason; any other failure is an answer. */
export function readPage({ address, port, path }: PagePlace, signal: AbortSignal): Promise<ReadPage> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadPage>()
  const fail = (error: unknown): void => resolve({ error: errorText(error), code: errorCode(error) })
  const request = get({ host: address, port, path, agent: false, headers: { accept: 'application/json' } })
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  request.once('error', fail)
  request.once('response', (response) => {
    let body = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      body += chunk
      if (body.length > BODY_BYTES_MAX) resolve({ error: 'its answer does not end', code: '' })
    })
    response.once('error', fail)
    response.once('end', () => resolve({ status: response.statusCode ?? 0, body }))
  })
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort)
    // Later errors of the connection do not matter.
    request.on('error', () => undefined)
    request.destroy()
  })
}
