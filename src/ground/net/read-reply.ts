import { lookup as systemLookup } from 'node:dns'
import { type Agent, type ClientRequest, type IncomingMessage, get as overHttp } from 'node:http'
import { get as overHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { isMetadataAddress } from '../model/metadata-address.ts'
import { present } from '../model/present.ts'
import { errorText } from './error-text.ts'

/** The part of the answer that was wanted; `body` is absent if the head is enough. */
export type Reply =
  | { readonly head: ReplyHead; readonly body?: Buffer }
  | { readonly head?: ReplyHead; readonly error: string }

export interface ReplyHead {
  readonly status: number
  readonly location?: string
  readonly encoding?: string
}

interface ReplyWanted {
  readonly url: URL
  /** Added to the headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly agent: Agent
  readonly lookup: LookupFunction
  readonly wantsBody: (head: ReplyHead) => boolean
}

const BODY_BYTES_MAX = 64 * 1024
const HEAD_BYTES_MAX = 16 * 1024
/** The most answers 100 to 199 before the real one. */
const INFORMATION_MAX = 8

/**
 * One GET by a connection of its own, which is closed afterwards. Rejects with the signal's reason alone. The host of the URL is
 * not to be a metadata address itself.
 *
 * Law: no host name in a hold leads to an address at which a cloud gives credentials.
 */
export function readReply(
  { url, headers: more, agent, lookup, wantsBody }: ReplyWanted,
  signal: AbortSignal,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const get = url.protocol === 'https:' ? overHttps : overHttp
  const headers = { accept: 'application/json', ...more, 'accept-encoding': 'identity', connection: 'close' }
  const request = get(url, { agent, headers, lookup: refusing(lookup), maxHeaderSize: HEAD_BYTES_MAX })
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  request.once('error', (error) => resolve({ error: errorText(error) }))
  refuseOtherAnswers(request, resolve)
  request.once('response', (response) => {
    const head = headOf(response)
    if (wantsBody(head)) readBody(response, (end) => resolve({ head, ...end }))
    else resolve({ head })
  })
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort)
    // Later errors of the connection do not matter.
    request.on('error', () => undefined)
    request.destroy()
  })
}

function refuseOtherAnswers(request: ClientRequest, resolve: (reply: Reply) => void): void {
  let informed = 0
  request.on('information', () => {
    informed += 1
    if (informed > INFORMATION_MAX) resolve({ error: 'it sends informational answers without end' })
  })
  request.once('upgrade', (response, socket) => {
    socket.destroy()
    resolve({ head: headOf(response), error: 'it changes the protocol' })
  })
}

function headOf({ statusCode = 0, headers }: IncomingMessage): ReplyHead {
  const { location, 'content-encoding': encoding } = headers
  return {
    status: statusCode,
    ...present({ location, encoding }),
  }
}

function readBody(
  response: IncomingMessage,
  done: (end: { readonly body: Buffer } | { readonly error: string }) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= BODY_BYTES_MAX) chunks.push(chunk)
    else done({ error: `its body is larger than ${BODY_BYTES_MAX / 1024} KiB` })
  })
  response.on('error', (error) => done({ error: `its body is cut short: ${errorText(error)}` }))
  response.once('end', () => done({ body: Buffer.concat(chunks) }))
}

export const lookupOfSystem: LookupFunction = (name, options, callback) => systemLookup(name, options, callback)

/** The address that was checked is the one that is connected to, so that a name cannot change in between. */
const refusing =
  (lookup: LookupFunction): LookupFunction =>
  (name, options, callback) =>
    lookup(name, { ...options, all: true }, (error, found) => {
      const addresses = Array.isArray(found) ? found : []
      const [first] = addresses
      if (error !== null) return callback(error, [])
      const refused = addresses.find(({ address }) => isMetadataAddress(address))
      if (refused !== undefined)
        return callback(new Error(`${name} is ${refused.address}, a link-local or metadata address`), [])
      if (first === undefined) return callback(new Error(`${name} has no address`), [])
      if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
