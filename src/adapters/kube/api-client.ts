import type { IncomingMessage } from 'node:http'
import { WorldError } from '../../model/world-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ApiCall, ApiReply } from './api-call.ts'
import { apiError } from './api-error.ts'
import type { Credentials } from './credentials.ts'
import { exchange, type HttpRequest } from './exchange.ts'
import { readJson } from './read-body.ts'
import { retryAfterMs } from './retry-after.ts'
import { within } from './within.ts'

/** The longest an API server lets an ordinary request run is 60 s; an answer that takes this long is of no use to us. */
const CALL_LIMIT_MS = 30_000

const METHODS = { get: 'GET', list: 'GET', watch: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH' } as const

export interface ApiClientParts {
  readonly credentials: Credentials
  readonly clock: Clock
  readonly userAgent: string
}

/** Requests to one API server. Every call rejects with WorldError KUBE_*, or with the signal's reason. */
export class ApiClient {
  readonly #parts: ApiClientParts

  constructor(parts: ApiClientParts) {
    this.#parts = parts
  }

  /** The reply, whatever its status. */
  send(call: ApiCall, signal: AbortSignal): Promise<ApiReply> {
    return this.#limited(call, signal, async (limited) => {
      const reply = await this.#authorized(call, limited)
      return { status: reply.statusCode ?? 0, body: await bodyOf(reply), retryAfterMs: retryAfterMs(reply.headers) }
    })
  }

  /** The body of a success. */
  async ask(call: ApiCall, signal: AbortSignal): Promise<unknown> {
    const reply = await this.send(call, signal)
    if (!isSuccess(reply.status)) throw apiError(call, reply)
    return reply.body
  }

  /** The body of a success, still to be read; the limit holds for its head alone, the signal to its end. */
  async stream(call: ApiCall, signal: AbortSignal): Promise<IncomingMessage> {
    const body = new AbortController()
    const reply = await this.#limited(call, signal, async (limited) => {
      const pass = () => body.abort(limited.reason)
      limited.addEventListener('abort', pass, { once: true })
      const head = await this.#authorized(call, body.signal)
      if (isSuccess(head.statusCode ?? 0)) return head
      throw apiError(call, {
        status: head.statusCode ?? 0,
        body: await bodyOf(head),
        retryAfterMs: retryAfterMs(head.headers),
      })
    })
    const end = () => reply.destroy()
    signal.addEventListener('abort', end, { once: true })
    reply.once('close', () => signal.removeEventListener('abort', end))
    return reply
  }

  /** A 401 may mean that the credential is older than the one to be had now: it is dropped and the call made once more. */
  async #authorized(call: ApiCall, signal: AbortSignal): Promise<IncomingMessage> {
    const request = this.#requestOf(call)
    const connection = await this.#parts.credentials.current(signal)
    const reply = await exchange(connection, request, signal)
    if (reply.statusCode !== 401) return reply
    reply.destroy()
    this.#parts.credentials.drop(connection)
    return exchange(await this.#parts.credentials.current(signal), request, signal)
  }

  #limited<T>(call: ApiCall, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = () =>
      new WorldError(`${call.verb} ${call.resource}: no answer within ${CALL_LIMIT_MS / 1000} s`, {
        code: 'KUBE_TIMEOUT',
        retry: 'backoff',
      })
    return within({ clock: this.#parts.clock, ms: CALL_LIMIT_MS, signal, late }, work)
  }

  #requestOf(call: ApiCall): HttpRequest {
    const query = call.query === undefined ? '' : `?${new URLSearchParams(call.query)}`
    const headers = { accept: 'application/json', 'user-agent': this.#parts.userAgent }
    const request = { method: METHODS[call.verb], target: `${call.path}${query}` }
    if (call.body === undefined) return { ...request, headers }
    const body = JSON.stringify(call.body)
    const contentType = call.verb === 'patch' ? 'application/json-patch+json' : 'application/json'
    const length = String(Buffer.byteLength(body))
    return { ...request, headers: { ...headers, 'content-type': contentType, 'content-length': length }, body }
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The parsed body; a refusal that is no JSON (a proxy's page) has none. */
async function bodyOf(reply: IncomingMessage): Promise<unknown> {
  if (isSuccess(reply.statusCode ?? 0)) return readJson(reply)
  return readJson(reply).catch((error: unknown) => {
    if (error instanceof WorldError && error.code === 'KUBE_REPLY') return undefined
    throw error
  })
}
