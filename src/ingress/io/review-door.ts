import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { SecureContextOptions } from 'node:tls'
import { type DoorParts, type OpenDoor, openDoor } from '../../ground/net/open-door.ts'
import type { Page } from '../../ground/ports/http-door.ts'

/** Two objects, as large as an API server stores them (1.5 MiB), with their managed fields. */
const BODY_BYTES_MAX = 4 * 1024 * 1024
/** Of all bodies that are being read: this process has other work than to hold them. */
const BODIES_BYTES_MAX = 4 * BODY_BYTES_MAX
const HEAD_BYTES_MAX = 16_384
const REQUEST_LIMIT_MS = 5_000
const LOOK_EVERY_MS = 1_000
/** Longer than an API server keeps an idle connection (90 s), so that none is closed under a request. */
const IDLE_LIMIT_MS = 120_000
const CONNECTIONS_MAX = 256

const TEXT = 'text/plain; charset=utf-8'

interface ReviewDoorParts extends Pick<DoorParts, 'place' | 'timers'> {
  /** What a POST is answered with; it neither throws nor rejects. */
  readonly answer: (body: string) => Promise<Page>
}

interface ReviewDoor extends OpenDoor {
  /** Of connections from now on. Throws where key and certificate are none, or do not belong together. */
  present(certificate: Required<Pick<SecureContextOptions, 'key' | 'cert'>>): void
}

/** HTTPS for an API server that asks, by POST. Until a certificate is there no handshake succeeds. */
export async function openReviewDoor({ place, timers, answer }: ReviewDoorParts): Promise<ReviewDoor> {
  const bodies = { bytes: 0 }
  const server = createServer(
    {
      minVersion: 'TLSv1.2',
      handshakeTimeout: REQUEST_LIMIT_MS,
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: REQUEST_LIMIT_MS,
      requestTimeout: REQUEST_LIMIT_MS,
      connectionsCheckingInterval: LOOK_EVERY_MS,
      keepAliveTimeout: IDLE_LIMIT_MS,
    },
    (request, response) => {
      void respond(request, { response, answer, bodies })
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  const door = await openDoor(server, { place, timers })
  return {
    ...door,
    present: (certificate) => server.setSecureContext(certificate),
    close: () => closed(server, door),
  }
}

async function closed(server: Pick<Server, 'closeIdleConnections'>, door: OpenDoor): Promise<void> {
  const done = door.close()
  server.closeIdleConnections()
  await done
}

interface Exchange {
  readonly response: ServerResponse
  readonly answer: ReviewDoorParts['answer']
  readonly bodies: { bytes: number }
}

async function respond(request: IncomingMessage, { response, answer, bodies }: Exchange): Promise<void> {
  if (request.method !== 'POST') return write(response, page(405, 'only POST is answered here\n'))
  const body = await bodyOf(request, bodies)
  if (body === 'gone') return
  if (body === 'too large') return write(response, page(413, `more than ${BODY_BYTES_MAX} bytes\n`))
  if (body === 'too many') return write(response, page(503, 'too many bodies are being read\n'))
  write(response, await answer(body.text))
}

type Body = { readonly text: string } | 'too large' | 'too many' | 'gone'

async function bodyOf(request: IncomingMessage, bodies: { bytes: number }): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      bodies.bytes += chunk.length
      if (size > BODY_BYTES_MAX) return 'too large'
      if (bodies.bytes > BODIES_BYTES_MAX) return 'too many'
      chunks.push(chunk)
    }
    return { text: Buffer.concat(chunks).toString('utf8') }
  } catch {
    return 'gone'
  } finally {
    bodies.bytes -= size
  }
}

const page = (status: number, body: string): Page => ({ status, contentType: TEXT, body })

/** What was not read to its end ends the connection. */
function write(response: ServerResponse, { status, contentType, body }: Page): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    ...(response.req.complete ? {} : { connection: 'close' }),
  })
  response.end(body)
}
