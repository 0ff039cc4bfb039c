import { WorldError } from '../model/world-error.ts'
import { retryAfterMs } from '../net/retry-after.ts'
import type { Clock } from '../ports/clock.ts'
import type { ApiCall, ApiReply } from './api-call.ts'
import { apiError } from './api-error.ts'
import type { Connection } from './connection.ts'
import type { Credentials } from './credentials.ts'
import { type Exchange, exchange, type HttpRequest, type ReplyHead } from './exchange.ts'
import { readJson } from './read-body.ts'
import { within } from './within.ts'

/** An API server lets an ordinary request run for at most 60 s; an answer that takes this long is useless to us. */
const CALL_LIMIT_MS = 30_000

const METHODS = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const

interface ApiClientParts {
  readonly credentials: Pick<Credentials, 'current' | 'accept' | 'drop'>
  readonly clock: Clock
  readonly userAgent: string
  /** How a request is sent; by default over HTTP. */
  readonly exchange?: Exchange
}

/** Rejects as Exchange does. */
type Upgrade<T> = (
  connection: Connection,
  request: HttpRequest,
  signal: AbortSignal,
) => Promise<{ readonly opened: T } | { readonly refusal: ReplyHead }>

/** Requests to one API server. Every call rejects with WorldError KUBE_*, or with the signal's reason. */
export class ApiClient {
  readonly #parts: ApiClientParts
  readonly #exchange: Exchange

  constructor(parts: ApiClientParts) {
    this.#parts = parts
    this.#exchange = parts.exchange ?? exchange
  }

  /** The reply, whatever its status. */
  send(call: ApiCall, signal: AbortSignal): Promise<ApiReply> {
    return this.#authorized(signal, (connection) =>
      this.#limited(call, signal, async (limited) =>
        replyOf(await this.#exchange(connection, this.#requestOf(call), limited), call.bytesMax),
      ),
    )
  }

  /** The body of a success. */
  async ask(call: ApiCall, signal: AbortSignal): Promise<unknown> {
    const reply = await this.send(call, signal)
    if (!isSuccess(reply.status)) throw apiError(call, reply)
    return reply.body
  }

  /** The body of a success, still to be read; the limit holds for its head alone, the signal to its end. */
  async stream(call: ApiCall, signal: AbortSignal): Promise<ReplyHead> {
    const opened = await this.#authorized(signal, (connection) => this.#openStream(connection, call, signal))
    if ('body' in opened) throw apiError(call, opened)
    return opened.stream
  }

  /** What `open` makes of a connection that is no plain exchange; the limit holds until it is open. */
  async upgrade<T>(call: ApiCall, open: Upgrade<T>, signal: AbortSignal): Promise<T> {
    const opened = await this.#authorized(signal, (connection) =>
      this.#limited(call, signal, async (limited) => {
        const answer = await open(connection, this.#requestOf(call), limited)
        return 'refusal' in answer ? replyOf(answer.refusal) : { status: 101, ...answer }
      }),
    )
    if ('body' in opened) throw apiError(call, opened)
    return opened.opened
  }

  async #openStream(
    connection: Connection,
    call: ApiCall,
    signal: AbortSignal,
  ): Promise<ApiReply | { readonly status: number; readonly stream: ReplyHead }> {
    const life = new AbortController()
    const end = () => life.abort(signal.reason)
    const opened = await this.#limited(call, signal, async (limited) => {
      limited.addEventListener('abort', () => life.abort(limited.reason), { once: true })
      const head = await this.#exchange(connection, this.#requestOf(call), life.signal)
      const status = head.statusCode ?? 0
      return isSuccess(status) ? { status, stream: head } : replyOf(head)
    })
    if ('stream' in opened) {
      signal.addEventListener('abort', end, { once: true })
      opened.stream.once('close', () => signal.removeEventListener('abort', end))
    }
    return opened
  }

  /** A 401 may mean that the credential is older than the newest one: it is dropped and the call is made once more. */
  async #authorized<T extends { readonly status: number }>(
    signal: AbortSignal,
    attempt: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const reply = await this.#tried(signal, attempt)
    return reply.status === 401 ? this.#tried(signal, attempt) : reply
  }

  async #tried<T extends { readonly status: number }>(
    signal: AbortSignal,
    attempt: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const { credentials } = this.#parts
    const connection = await credentials.current(signal)
    const reply = await attempt(connection)
    if (reply.status === 401) credentials.drop(connection)
    else credentials.accept(connection)
    return reply
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
    const query = call.query === undefined ? '' : `?${encodedQuery(call.query)}`
    const headers = {
      accept: call.accept ?? 'application/json',
      'user-agent': this.#parts.userAgent,
      ...(call.as === undefined ? {} : { 'impersonate-user': call.as }),
    }
    const request = { method: METHODS[call.verb], target: `${call.path}${query}` }
    if (call.body === undefined) return { ...request, headers }
    const body = JSON.stringify(call.body)
    const contentType = call.verb === 'patch' ? patchType(call) : 'application/json'
    const length = String(Buffer.byteLength(body))
    return { ...request, headers: { ...headers, 'content-type': contentType, 'content-length': length }, body }
  }
}

/** RFC 6902 is a list of operations, RFC 7396 an object. */
function patchType({ body, isStrategic }: ApiCall): string {
  if (isStrategic === true) return 'application/strategic-merge-patch+json'
  return Array.isArray(body) ? 'application/json-patch+json' : 'application/merge-patch+json'
}

const encodedQuery = (query: NonNullable<ApiCall['query']>): string =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, given]) => [given].flat().map((value): [string, string] => [name, value])),
  ).toString()

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** A refusal that is no JSON (a proxy's page) has no body. */
async function replyOf(head: ReplyHead, bytesMax?: number): Promise<ApiReply> {
  const status = head.statusCode ?? 0
  const body = isSuccess(status) ? await readJson(head, bytesMax) : await readJson(head).catch(nothingWhereNoJson)
  return { status, body, retryAfterMs: retryAfterMs(head.headers) }
}

function nothingWhereNoJson(error: unknown): undefined {
  if (error instanceof WorldError && ['KUBE_REPLY', 'KUBE_TOO_LARGE'].includes(error.code)) return undefined
  throw error
}
