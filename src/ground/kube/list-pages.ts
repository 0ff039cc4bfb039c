import { present } from '../model/present.ts'
import { Untrusted } from '../model/untrusted.ts'
import { WorldError } from '../model/world-error.ts'
import type { Log } from '../ports/log.ts'
import type { ApiCall } from './api-call.ts'
import type { ApiClient } from './api-client.ts'
import { replyError } from './api-error.ts'
import { parseItem } from './parse-item.ts'
import type { Resource } from './resources.ts'

const PAGE_ITEMS = 500
/** Five hundred nodes with their images are some 25 MB. What is larger is parsed into more memory than a controller may have. */
const PAGE_BYTES_MAX = 32 * 1024 ** 2
/** An object in etcd is at most some 1.5 MB; its JSON may be several times that. */
const OBJECT_BYTES_MAX = 16 * 1024 ** 2
const SMALLER = 5
/** No cluster has so many, and a server that never ends its list must not keep us. */
const OBJECTS_MAX = 500_000
const RESTARTS_MAX = 3

export interface Listing<T> {
  readonly objects: readonly T[]
  /** The version of the list: a watch goes on from it. */
  readonly resourceVersion: string
}

interface ListParts {
  readonly client: ApiClient
  readonly log: Log
}

/**
 * All objects of a kind, read in pages; each page is reduced to the fields that are used. With a continue token that is too old
 * (410) the list starts over, since the earlier pages are of another moment.
 *
 * Law: a page that is too large is asked for again from the same place with fewer objects, down to one.
 */
export async function listPages<T>(parts: ListParts, kind: Resource<T>, signal: AbortSignal): Promise<Listing<T>> {
  for (let restarts = 0; ; restarts++) {
    try {
      return await listOnce(parts, kind, signal)
    } catch (error) {
      if (codeOf(error) !== 'KUBE_GONE' || restarts === RESTARTS_MAX) throw error
    }
  }
}

const codeOf = (error: unknown): string | undefined => (error instanceof WorldError ? error.code : undefined)

async function listOnce<T>({ client, log }: ListParts, kind: Resource<T>, signal: AbortSignal): Promise<Listing<T>> {
  const objects: T[] = []
  let resourceVersion = ''
  let token = ''
  let items = kind.pageItems ?? PAGE_ITEMS
  for (let asked = 0; asked < OBJECTS_MAX; asked += items) {
    const { call, body } = await smallerUntilRead(client, { kind, token, items }, signal)
    items = call.items
    const read = readPage(call, body)
    for (const item of read.items) objects.push(...parseItem(kind, item, log))
    resourceVersion ||= read.resourceVersion
    token = read.token
    if (token === '') return { objects, resourceVersion }
  }
  const details = { code: 'KUBE_REPLY', retry: 'backoff' } as const
  throw new WorldError(`list ${kind.resource}: the list does not end`, details)
}

interface Page<T> {
  readonly kind: Resource<T>
  readonly token: string
  readonly items: number
}

/** Objects are limited in size, so one has to have room wherever several have too much. */
async function smallerUntilRead<T>(client: ApiClient, page: Page<T>, signal: AbortSignal) {
  for (let { items } = page; ; items = Math.ceil(items / SMALLER)) {
    const call = { ...callOf(page, items), items }
    try {
      return { call, body: await client.ask(call, signal) }
    } catch (error) {
      if (codeOf(error) !== 'KUBE_TOO_LARGE' || items === 1) throw error
    }
  }
}

function callOf<T>({ kind, token }: Page<T>, items: number): ApiCall {
  const { resource, path, pageBytes = PAGE_BYTES_MAX, accept, as } = kind
  const query = { ...kind.query, limit: String(items), ...(token === '' ? {} : { continue: token }) }
  const bytesMax = items === 1 ? Math.max(pageBytes, OBJECT_BYTES_MAX) : pageBytes
  return { verb: 'list', resource, path, query, bytesMax, ...present({ accept, as }) }
}

function readPage(call: ApiCall, body: unknown) {
  try {
    const list = new Untrusted(body, 'list')
    const metadata = list.at('metadata')
    return {
      items: list.at('items').each(),
      resourceVersion: metadata.at('resourceVersion').text(),
      token: metadata.at('continue').textOr(''),
    }
  } catch (error) {
    throw replyError(call, error)
  }
}
