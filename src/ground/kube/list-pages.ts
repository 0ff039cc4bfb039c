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
/** Half a million objects: no cluster has so many, and a server that never ends its list must not keep us. */
const PAGES_MAX = 1000
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
 * (410) the list starts over, since the earlier pages are of another moment. With large pages it starts over in pages of 500 where an answer
 * cannot be read: thousands of objects with many labels may be larger than an answer may be.
 */
export async function listPages<T>(parts: ListParts, kind: Resource<T>, signal: AbortSignal): Promise<Listing<T>> {
  let pageItems = kind.pageItems ?? PAGE_ITEMS
  for (let restarts = 0; ; restarts++) {
    try {
      return await listOnce(parts, { ...kind, pageItems }, signal)
    } catch (error) {
      const code = error instanceof WorldError ? error.code : undefined
      const isTooLarge = code === 'KUBE_REPLY' && pageItems > PAGE_ITEMS
      if ((code !== 'KUBE_GONE' && !isTooLarge) || restarts === RESTARTS_MAX) throw error
      if (isTooLarge) pageItems = PAGE_ITEMS
    }
  }
}

async function listOnce<T>(
  { client, log }: ListParts,
  kind: Resource<T> & { readonly pageItems: number },
  signal: AbortSignal,
): Promise<Listing<T>> {
  const objects: T[] = []
  let resourceVersion = ''
  let token = ''
  for (let page = 0; page < PAGES_MAX; page++) {
    const limit = String(kind.pageItems)
    const query = { ...kind.query, limit, ...(token === '' ? {} : { continue: token }) }
    const { resource, path } = kind
    const call: ApiCall = { verb: 'list', resource, path, query, ...present({ accept: kind.accept, as: kind.as }) }
    const read = readPage(call, await client.ask(call, signal))
    for (const item of read.items) objects.push(...parseItem(kind, item, log))
    resourceVersion ||= read.resourceVersion
    token = read.token
    if (token === '') return { objects, resourceVersion }
  }
  const details = { code: 'KUBE_REPLY', retry: 'backoff' } as const
  throw new WorldError(`list ${kind.resource}: the list does not end`, details)
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
