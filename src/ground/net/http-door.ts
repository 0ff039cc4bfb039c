import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Page, PageOf } from '../ports/http-door.ts'
import { HEALTH_CHECK_LIMITS, limitConnections } from './connection-limits.ts'
import { type DoorParts, type OpenDoor, openDoor } from './open-door.ts'

/** The head of a health check has some hundred bytes. */
const HEAD_BYTES_MAX = 8_192
const HEAD_LIMIT_MS = 5_000
/** How often heads that take too long are searched for. */
const CHECK_EVERY_MS = 1_000

const WRONG_METHOD: Page = {
  status: 405,
  contentType: 'text/plain; charset=utf-8',
  body: 'only GET and HEAD are answered here\n',
  headers: { allow: 'GET, HEAD' },
}

export interface HttpDoor extends OpenDoor {
  /** Connections that were closed because there were too many. */
  dropped(): number
}

/**
 * Pages from memory over HTTP/1.1, one for each connection (RFC 9112, 9.6): no file is ever read, and the body of a request is
 * ignored. A client that is slow, sends nonsense or opens too many connections is closed; others are answered meanwhile.
 */
export async function openHttpDoor({ place, timers, limits }: DoorParts, pageOf: PageOf): Promise<HttpDoor> {
  const server = createServer(
    {
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: HEAD_LIMIT_MS,
      requestTimeout: HEAD_LIMIT_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      keepAlive: false,
    },
    (request, response) => answer(request, response, pageOf),
  )
  server.maxRequestsPerSocket = 1
  const dropped = limitConnections(server, timers, limits ?? HEALTH_CHECK_LIMITS)
  const door = await openDoor(server, { place, timers })
  return {
    ...door,
    dropped,
    close: () => {
      const closed = door.close()
      server.closeIdleConnections()
      return closed
    },
  }
}

function answer(request: IncomingMessage, response: ServerResponse, pageOf: PageOf): void {
  const { method = '', url = '', socket } = request
  const isRead = method === 'GET' || method === 'HEAD'
  const caller = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 }
  const page = isRead ? pageOf({ method, target: originForm(url), caller }) : WRONG_METHOD
  if (page instanceof Promise)
    page.then(
      (made) => write(response, method, made),
      () => response.destroy(),
    )
  else write(response, method, page)
}

/** RFC 9112, 3.2.2: a server accepts a target with scheme and host, as a proxy sends it. */
const originForm = (target: string): string => target.replace(/^https?:\/\/[^/?]*/i, '').replace(/^(?!\/)/, '/')

function write(response: ServerResponse, method: string, page: Page): void {
  response.shouldKeepAlive = false
  response.writeHead(page.status, page.reason ?? STATUS_CODES[page.status] ?? '', {
    'content-type': page.contentType,
    'content-length': Buffer.byteLength(page.body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...page.headers,
  })
  response.end(method === 'HEAD' ? undefined : page.body)
}
