import { Agent, type IncomingMessage, request as overHttp } from 'node:http'
import { Agent as HttpsAgent, request as overHttps } from 'node:https'
import { present } from '../../ground/model/present.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import { errorCode } from '../../ground/net/error-text.ts'
import { retryAfterMs } from '../../ground/net/retry-after.ts'
import { systemTrust } from '../../ground/net/system-trust.ts'
import type { HookAnswer, HookCall, HookRequest } from '../ports/hook-call.ts'

type Env = Readonly<Record<string, string | undefined>>

const BODY_BYTES_MAX = 64 * 1024

/** POSTs with Node's own client, through the proxy of the environment. */
export class HttpHooks implements HookCall {
  readonly #env: Env
  readonly #plain: Agent
  #secure: Agent | undefined

  constructor(env: Env) {
    this.#env = env
    this.#plain = new Agent({ keepAlive: false, proxyEnv: env })
  }

  async post({ url, headers, body, method = 'POST' }: HookRequest, signal: AbortSignal): Promise<HookAnswer> {
    const { protocol } = new URL(url)
    const [request, agent] = protocol === 'https:' ? [overHttps, this.#overTls()] : [overHttp, this.#plain]
    const { promise, resolve, reject } = Promise.withResolvers<HookAnswer>()
    const length = String(Buffer.byteLength(body))
    const own = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': length,
      'user-agent': 'evenkeel',
    }
    const asked = request(url, { method, agent, headers: { ...own, ...headers }, signal })
    asked.on('error', (error) => reject(signal.aborted ? signal.reason : failed(error)))
    asked.once('upgrade', (_response, socket) => {
      socket.destroy()
      reject(failed(new Error('it changes the protocol')))
    })
    asked.once('response', (response) =>
      read(response, resolve, (error) => reject(signal.aborted ? signal.reason : failed(error))),
    )
    asked.end(body)
    return promise.finally(() => asked.destroy())
  }

  #overTls(): Agent {
    this.#secure ??= new HttpsAgent({
      keepAlive: false,
      proxyEnv: this.#env,
      secureContext: systemTrust(),
    })
    return this.#secure
  }
}

function read(response: IncomingMessage, done: (answer: HookAnswer) => void, fail: (error: unknown) => void): void {
  const { statusCode: status = 0, headers } = response
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= BODY_BYTES_MAX) chunks.push(chunk)
    else fail(new Error(`its answer is larger than ${BODY_BYTES_MAX / 1024} KiB`))
  })
  response.once('error', fail)
  response.once('end', () => {
    const waitMs = retryAfterMs(headers)
    const body = Buffer.concat(chunks).toString()
    done({ status, body, ...present({ retryAfterMs: waitMs }) })
  })
}

/** Node's text may contain the URL, so only its code is shown, or a text of ours. */
function failed(error: unknown): WorldError {
  const code = errorCode(error)
  const text = code === '' && error instanceof Error ? error.message : code
  return new WorldError(`the request failed: ${text}`, { code: 'HOOK_FAILED', retry: 'backoff' })
}
