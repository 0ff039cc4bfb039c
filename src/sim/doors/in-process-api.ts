import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { present } from '../../ground/model/present.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import { answerRequest } from '../world/answer-request.ts'
import { type ApiReply, type ApiRequest, isWatch, type ObjectReply, type WatchReply } from '../world/api-request.ts'
import { jsonOf } from '../world/json-of.ts'
import { serveWatch } from '../world/serve-watch.ts'
import type { WatchEvent } from '../world/watch-objects.ts'
import type { World } from '../world/world.ts'

/** A request as a client of HTTP hands it on. */
interface HttpRequest {
  readonly method: string
  /** Path and query, encoded. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

type ReplyHead = Readable & { readonly statusCode: number; readonly headers: IncomingHttpHeaders }

/**
 * What is done with one request. `silent`: no answer ever comes. `unheard`: it is carried out, and its answer lost. `cut`: it
 * is carried out, and the body of the answer breaks in the middle. `refused`: nothing listens. A reply replaces that of the
 * API, which carries the request out all the same where that is said. `lateMs`: until it is carried out, and `answerLateMs` from then until it is answered. What is under way when `life`
 * ends is reset, a watch too.
 */
export type Passage =
  | {
      readonly kind: 'passes'
      readonly lateMs?: number
      readonly answerLateMs?: number
      readonly watch?: WatchFault
      readonly life?: AbortSignal
    }
  | { readonly kind: 'silent' | 'unheard' | 'cut' | 'refused' }
  | { readonly kind: 'answered'; readonly reply: ObjectReply; readonly isCarriedOut?: true }

type PassesOn = Extract<Passage, { kind: 'passes' }>

/** For a watch: what each event becomes; undefined: it is dropped. */
export type WatchFault = (event: WatchEvent) => WatchEvent | 'cut' | undefined

interface InProcessApiParts {
  readonly world: World
  readonly timers: Timers
  /** Until the answer is there; halfway it is carried out. */
  readonly latencyMs: number
  readonly passageOf?: (request: ApiRequest) => Passage
  /** Called around each request when it is carried out. */
  readonly around?: (request: ApiRequest, answer: () => ApiReply) => ApiReply
}

/** The world's API for a client in the same process: like HTTP, without sockets, and only as fast as `timers` run. */
export function inProcessApi(
  parts: InProcessApiParts,
): (connection: unknown, request: HttpRequest, signal: AbortSignal) => Promise<ReplyHead> {
  const { timers, latencyMs } = parts
  return async (_connection, request, signal) => {
    signal.throwIfAborted()
    const asked = apiRequest(request)
    const passage: Passage = parts.passageOf?.(asked) ?? { kind: 'passes' }
    const { lateMs = 0, answerLateMs = 0, life } = passage.kind === 'passes' ? passage : ON_TIME
    const isWatching = asked.query.has('watch')
    const isReset = (): boolean => life?.aborted === true
    const answer = (): Promise<void> => passed(timers, latencyMs / 2 + answerLateMs, signal)
    await passed(timers, latencyMs / 2 + lateMs, signal)
    // A watch is under way once its reader has it.
    if (isWatching) await answer()
    if (isReset()) throw reset()
    const head = travelled(parts, asked, { passage, signal })
    if (head === undefined) return aborted(signal)
    if (!isWatching) await answer()
    if (head instanceof Error) throw head
    if (isReset()) throw reset()
    return head
  }
}

const ON_TIME: Omit<PassesOn, 'kind'> = {}

function passed(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onAbort = (): void => {
    callOff()
    reject(signal.reason)
  }
  // A composite signal is kept alive by its listeners.
  const callOff = timers.later(ms, () => {
    signal.removeEventListener('abort', onAbort)
    resolve()
  })
  signal.addEventListener('abort', onAbort, { once: true })
  return promise
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}

const reset = (): WorldError => unreachable('ECONNRESET')

const unreachable = (why: string): WorldError =>
  new WorldError(`the API server cannot be reached (${why})`, { code: 'KUBE_UNREACHABLE', retry: 'backoff' })

/** Undefined: no answer ever comes. */
function travelled(
  { world, timers, around = alone }: InProcessApiParts,
  request: ApiRequest,
  { passage, signal }: { readonly passage: Passage; readonly signal: AbortSignal },
): ReplyHead | Error | undefined {
  switch (passage.kind) {
    case 'silent':
      return undefined
    case 'refused':
      return unreachable('ECONNREFUSED')
    case 'unheard':
      around(request, () => answerRequest(world, request))
      return reset()
    case 'cut': {
      const reply = around(request, () => answerRequest(world, request))
      if (!isWatch(reply)) return cutHead(reply)
      const head = watchHead(timers, reply, { signal })
      timers.later(0, () => void head.destroy(new Error('ECONNRESET')))
      return head
    }
    case 'answered':
      if (passage.isCarriedOut === true) around(request, () => answerRequest(world, request))
      return objectHead(passage.reply)
    case 'passes': {
      const reply = around(request, () => answerRequest(world, request))
      return isWatch(reply) ? watchHead(timers, reply, { ...passage, signal }) : objectHead(reply)
    }
  }
}

const alone = (_request: ApiRequest, answer: () => ApiReply): ApiReply => answer()

function apiRequest({ method, target, headers, body }: HttpRequest): ApiRequest {
  const url = new URL(target, 'http://embedded')
  const { accept, 'content-type': contentType, 'impersonate-user': as } = headers
  return {
    method,
    path: url.pathname,
    query: url.searchParams,
    ...(body === undefined ? {} : { body: JSON.parse(body) as unknown }),
    ...present({ contentType, accept, as }),
  }
}

const bytesOf = ({ body }: ObjectReply): Buffer => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))

/** The connection is reset after half of the body. */
function cutHead(reply: ObjectReply): ReplyHead {
  const bytes = bytesOf(reply)
  const halves = [bytes.subarray(0, bytes.length >>> 1)]
  const stream = new Readable({
    read() {
      const half = halves.shift()
      if (half === undefined) this.destroy(new Error('ECONNRESET'))
      else this.push(half)
    },
  })
  return Object.assign(stream, { statusCode: reply.code, headers: {} })
}

function objectHead(reply: ObjectReply): ReplyHead {
  const { code, retryAfterSeconds } = reply
  const text = bytesOf(reply)
  const stream = new Readable({ read: () => undefined })
  stream.push(text)
  stream.push(null)
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  return Object.assign(stream, { statusCode: code, headers })
}

function watchHead(
  timers: Timers,
  reply: WatchReply,
  { watch: fault, life, signal }: Pick<PassesOn, 'watch' | 'life'> & { readonly signal: AbortSignal },
): ReplyHead {
  let stop: (() => void) | undefined
  const destroy = (error: Error | null, done: (error: Error | null) => void): void => {
    stop?.()
    done(error)
  }
  const stream = new Readable({ read: () => undefined, destroy })
  const reset = (): void => void stream.destroy(new Error('ECONNRESET'))
  stop = serveWatch(timers, reply, {
    event: (event) => {
      const sent = fault === undefined ? event : fault(event)
      // The first events come while the watch is being opened: then it breaks off once its reader has it.
      if (sent === 'cut') stop === undefined ? timers.later(0, reset) : reset()
      else if (sent !== undefined) stream.push(`{"type":"${sent.type}","object":${jsonOf(sent.object)}}\n`)
    },
    end: () => void stream.push(null),
  })
  const end = (): void => void stream.destroy()
  signal.addEventListener('abort', end, { once: true })
  life?.addEventListener('abort', reset, { once: true })
  stream.once('close', () => {
    signal.removeEventListener('abort', end)
    life?.removeEventListener('abort', reset)
  })
  return Object.assign(stream, { statusCode: 200, headers: {} })
}
