import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { type AgentOptions, Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { ApiDoor, Ask, OpenWatch, SeenEvent } from '../api/api-door.ts'

/** An API server as every client reaches it: plain HTTP to the embedded one, TLS to a real one. */
export function httpClientDoor(
  server: string,
  tls: AgentOptions = {},
): { readonly door: ApiDoor; readonly close: () => void } {
  const isTls = server.startsWith('https:')
  const agent = isTls ? new TlsAgent({ ...tls, keepAlive: true, maxSockets: 64 }) : new PlainAgent({ keepAlive: true })
  const send = (
    method: string,
    path: string,
    { body, contentType = 'application/json', accept = 'application/json' }: Ask,
  ): Promise<IncomingMessage> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const said = body === undefined ? '' : JSON.stringify(body)
    // Node would send the body of a DELETE without saying how long it is.
    const length = { 'content-length': Buffer.byteLength(said) }
    const headers = { 'content-type': contentType, accept, ...(said === '' ? {} : length) }
    const options = { method, agent, headers }
    const sent = (isTls ? tlsRequest : plainRequest)(`${server}${path}`, options)
    sent.once('error', reject)
    sent.once('response', resolve)
    sent.end(said)
    return promise
  }
  const door: ApiDoor = {
    ask: async (method, path, ask = {}) => {
      const reply = await send(method, path, ask)
      const retryAfter = reply.headers['retry-after']
      const said = await text(reply)
      const body: unknown = reply.headers['content-type']?.startsWith('application/json') ? JSON.parse(said) : said
      return { status: reply.statusCode ?? 0, body, ...(retryAfter === undefined ? {} : { retryAfter }) }
    },
    watch: async (path, hear = () => undefined) => watching(await send('GET', path, {}), hear),
  }
  return { door, close: () => agent.destroy() }
}

function watching(reply: IncomingMessage, hear: (event: SeenEvent) => void): OpenWatch {
  const events: SeenEvent[] = []
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const lines = createInterface({ input: reply })
  lines.on('line', (line) => {
    const event = JSON.parse(line) as SeenEvent
    events.push(event)
    hear(event)
  })
  lines.once('close', resolve)
  reply.once('error', () => lines.close())
  return { events, ended, close: () => reply.destroy() }
}
