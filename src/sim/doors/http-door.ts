import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Timers } from '../../ground/ports/timers.ts'
import { answerRequest } from '../world/answer-request.ts'
import { ApiFailure, badRequest } from '../world/api-failure.ts'
import { type ApiRequest, isWatch, type ObjectReply, type WatchReply } from '../world/api-request.ts'
import { serveWatch } from '../world/serve-watch.ts'
import type { World } from '../world/world.ts'
import { tableOf, wantsTable } from './table.ts'

/** The API server's own limit of a body. */
const BODY_BYTES_MAX = 3 * 1024 * 1024

/** The world's API over HTTP, for kubectl and every other client. It listens nowhere yet. */
export function httpDoor(parts: { readonly world: World; readonly timers: Timers }): Server {
  return createServer((request, response) => {
    answer(parts, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
}

async function answer(
  { world, timers }: { readonly world: World; readonly timers: Timers },
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request = await read(message)
  if ('failure' in request) return send(response, { code: request.failure.code, body: request.failure.status })
  const reply = answerRequest(world, request)
  const shown = wantsTable(request.accept) ? (body: unknown) => tableOf(body, world.clock.wallMs()) ?? body : asItIs
  if (isWatch(reply)) stream({ timers, shown }, reply, response)
  else send(response, { ...reply, body: shown(reply.body) })
}

async function read(message: IncomingMessage): Promise<ApiRequest | { readonly failure: ApiFailure }> {
  const url = new URL(message.url ?? '/', 'http://embedded')
  const text = await bodyText(message)
  if (text === undefined)
    return { failure: new ApiFailure({ code: 413, reason: 'RequestEntityTooLarge', message: 'limit is 3145728' }) }
  const contentType = message.headers['content-type']?.split(';')[0]?.trim()
  const given = contentType === undefined ? {} : { contentType }
  try {
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    const { accept = '' } = message.headers
    return { method: message.method ?? 'GET', path: url.pathname, query: url.searchParams, body, accept, ...given }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { failure: badRequest(`the body is no JSON: ${error.message}`) }
  }
}

/** Undefined where it is too long. */
async function bodyText(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
  }
  return bytes > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, { code, body, retryAfterSeconds }: ObjectReply): void {
  const isText = typeof body === 'string'
  const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  response.writeHead(code, { 'content-type': isText ? 'text/plain' : 'application/json', ...wait })
  response.end(isText ? body : JSON.stringify(body))
}

const asItIs = (body: unknown): unknown => body

function stream(
  { timers, shown }: { readonly timers: Timers; readonly shown: (object: unknown) => unknown },
  reply: WatchReply,
  response: ServerResponse,
): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.flushHeaders()
  const stop = serveWatch(timers, reply, {
    event: ({ type, object }) => void response.write(`${JSON.stringify({ type, object: shown(object) })}\n`),
    end: () => void response.end(),
  })
  response.on('close', stop)
}
