import { type ClientRequest, get } from 'node:http'
import { errorText } from './error-text.ts'
import { type AgentHealth, parseAgentHealth } from './parse-agent-health.ts'

/** Of a page with some hundred addresses. */
const BODY_BYTES_MAX = 256 * 1024

export type AskedAgent = { readonly health: AgentHealth } | { readonly error: string }

/** One GET of an agent's `/healthz`. Rejects with the signal's reason alone; whatever else happens is an answer. */
export function askAgent(
  at: { readonly address: string; readonly port: number },
  signal: AbortSignal,
): Promise<AskedAgent> {
  const { promise, resolve, reject } = Promise.withResolvers<AskedAgent>()
  const request = begun(at)
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  request.once('error', (error) => resolve({ error: errorText(error) }))
  request.once('response', (response) => {
    let body = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      body += chunk
      if (body.length > BODY_BYTES_MAX) resolve({ error: 'it answers without end' })
    })
    response.once('error', (error) => resolve({ error: errorText(error) }))
    response.once('end', () => resolve(judged(response.statusCode, body)))
  })
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort)
    // Whatever it sends yet is of no use.
    request.on('error', () => undefined)
    request.destroy()
  })
}

const begun = ({ address, port }: { readonly address: string; readonly port: number }): ClientRequest =>
  get({ host: address, port, path: '/healthz', agent: false, headers: { accept: 'application/json' } })

function judged(status: number | undefined, body: string): AskedAgent {
  if (status !== 200) return { error: `it answered with status ${status ?? 'none'}` }
  const health = parseAgentHealth(body)
  return health === undefined ? { error: 'what answers is no agent' } : { health }
}
