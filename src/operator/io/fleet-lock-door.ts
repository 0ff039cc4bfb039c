import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { shownJson } from '../../ground/model/foreign-text.ts'
import { type ConnectionLimits, limitConnections } from '../../ground/net/connection-limits.ts'
import { type DoorParts, type OpenDoor, openDoor } from '../../ground/net/open-door.ts'
import { type FleetLockReply, type FleetLockVerb, parseFleetLockCall } from '../model/fleet-lock-call.ts'
import type { FleetLockAnswers } from '../ports/fleet-lock-answers.ts'

interface FleetLockDoorParts extends DoorParts {
  readonly answers: FleetLockAnswers
  /** Read for each request: a Secret that is mounted may change. Rejects where it cannot be read. */
  readonly token: () => Promise<string>
  /** How long a call may take to come in; absent: 5 s. 0: as long as its connection lives. */
  readonly requestLimitMs?: number
}

const HEAD_BYTES_MAX = 8_192
/** The longest call that is one: an id and a group of 253 characters each. */
const BODY_BYTES_MAX = 4_096
const REQUEST_LIMIT_MS = 5_000
const CHECK_EVERY_MS = 1_000
/** A whole rack may come by one address. An answer takes 20 s at most. */
const LIMITS: ConnectionLimits = { total: 512, perAddress: 128, lifeMs: 30_000 }

const VERBS: Readonly<Record<string, FleetLockVerb>> = {
  '/v1/pre-reboot': 'pre-reboot',
  '/v1/steady-state': 'steady-state',
}

const NO_PAGE: FleetLockReply = { status: 404, kind: 'no_such_page', value: 'POST /v1/pre-reboot or /v1/steady-state' }
const NO_POST: FleetLockReply = { status: 405, kind: 'not_post', value: 'only POST is answered here' }
const NO_TOKEN: FleetLockReply = {
  status: 401,
  kind: 'unauthorized',
  value: 'the token is missing or wrong: send it as the password, as in http://node:TOKEN@…',
}
const NO_PROTOCOL: FleetLockReply = {
  status: 400,
  kind: 'no_protocol',
  value: 'the header is missing: send fleet-lock-protocol: true',
}
const TOO_LONG: FleetLockReply = {
  status: 413,
  kind: 'too_long',
  value: `the body is longer than ${BODY_BYTES_MAX} bytes`,
}
const NO_ANSWER: FleetLockReply = { status: 503, kind: 'unknown', value: 'there is no answer now; ask again' }

/**
 * The FleetLock protocol over HTTP/1.1, one call for each connection (coreos/airlock, docs/protocol-specs.md). Nothing of a call is looked
 * at before its token. Rejects as `openDoor` does.
 */
export async function openFleetLockDoor(parts: FleetLockDoorParts): Promise<OpenDoor> {
  const { place, timers, limits = LIMITS, requestLimitMs = REQUEST_LIMIT_MS } = parts
  const closing = new AbortController()
  const server = createServer(
    {
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: requestLimitMs,
      requestTimeout: requestLimitMs,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      keepAlive: false,
    },
    (request, response) => {
      replyTo(request, parts, closing.signal).then(
        (reply) => write(response, reply),
        () => write(response, NO_ANSWER),
      )
    },
  )
  server.maxRequestsPerSocket = 1
  limitConnections(server, timers, limits)
  const door = await openDoor(server, { place, timers })
  return {
    ...door,
    close: () => {
      closing.abort(new Error('the door is closed'))
      return door.close()
    },
  }
}

async function replyTo(
  request: IncomingMessage,
  { answers, token }: FleetLockDoorParts,
  signal: AbortSignal,
): Promise<FleetLockReply> {
  const { method, url = '', headers } = request
  const verb = VERBS[url.split('?', 1)[0] ?? '']
  if (verb === undefined) return NO_PAGE
  if (method !== 'POST') return NO_POST
  if (!isSame(passwordOf(headers.authorization), await token())) return NO_TOKEN
  if (headers['fleet-lock-protocol'] !== 'true') return NO_PROTOCOL
  const body = await bodyOf(request)
  if (body === undefined) return TOO_LONG
  const call = parseFleetLockCall(verb, body)
  return 'fault' in call ? { status: 400, kind: 'bad_request', value: call.fault } : answers.answer(call, signal)
}

/** Undefined: it is too long, and nothing of it is kept. To leave it unread would close the connection before the answer. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length']) > BODY_BYTES_MAX) return undefined
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= BODY_BYTES_MAX) chunks.push(chunk)
  }
  return length > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks).toString('utf8')
}

/** RFC 7617; clients send it where it is in their URL. */
function passwordOf(authorization = ''): string {
  const [scheme = '', credentials = ''] = authorization.split(' ')
  if (scheme.toLowerCase() !== 'basic') return ''
  const text = Buffer.from(credentials, 'base64').toString('utf8')
  return text.slice(text.indexOf(':') + 1)
}

/** Takes the same time, wherever the two differ. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return token !== '' && timingSafeEqual(digest(given), digest(token))
}

function write(response: ServerResponse, { status, kind, value }: FleetLockReply): void {
  const body = `${shownJson({ kind, value })}\n`
  response.shouldKeepAlive = false
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...(status === 401 ? { 'www-authenticate': 'Basic realm="fleetlock"' } : {}),
    ...(status === 405 ? { allow: 'POST' } : {}),
  })
  response.end(body)
}
