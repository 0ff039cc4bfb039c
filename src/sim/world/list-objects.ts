import { ApiFailure, badRequest, expired } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import { type ApiResource, apiVersionOf } from './api-resource.ts'
import { objectsAt } from './objects-at.ts'
import { keyOf } from './store.ts'
import type { World } from './world.ts'

interface Listing {
  readonly resource: ApiResource
  /** Absent: of all namespaces. */
  readonly namespace?: string
  readonly matches: (object: ApiObject) => boolean
  readonly limit?: number
  readonly continueToken?: string
  /** Then nobody knows how many are left (apiserver, storage/etcd3/store.go). */
  readonly isSelected?: boolean
  /** Not older than this. */
  readonly resourceVersion?: string
}

export interface ObjectList {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: {
    readonly resourceVersion: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly items: readonly ApiObject[]
}

interface Continuation {
  readonly revision: number
  readonly after: string
}

/** One page of a kind, as `GET` answers it. Throws ApiFailure 400, 410 (a token that is too old) or 504. */
export function listObjects({ store }: World, listing: Listing): ObjectList {
  const { resource, namespace, matches, limit, continueToken } = listing
  const from = continueToken === undefined ? undefined : parseToken(continueToken)
  const revision = from?.revision ?? revisionFor(store.revision, listing.resourceVersion)
  const all = objectsAt(store, resource, revision)
  if (all === undefined) {
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    )
  }
  const rest = all.filter(
    (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      matches(object) &&
      (from === undefined || keyOf(object.metadata) > from.after),
  )
  const items = limit === undefined || limit <= 0 ? rest : rest.slice(0, limit)
  const last = items.at(-1)
  const isMore = items.length < rest.length && last !== undefined
  return {
    kind: `${resource.kind}List`,
    apiVersion: apiVersionOf(resource),
    metadata: {
      resourceVersion: String(revision),
      ...(isMore
        ? {
            continue: tokenOf({ revision, after: keyOf(last.metadata) }),
            ...(listing.isSelected === true ? {} : { remainingItemCount: rest.length - items.length }),
          }
        : {}),
    },
    items,
  }
}

/** A list shows what is there now, which is never older than what was asked for, unless that is yet to come. */
function revisionFor(now: number, asked: string | undefined): number {
  if (asked === undefined || asked === '' || asked === '0') return now
  const revision = parseVersion(asked)
  if (revision <= now) return now
  const message = `Too large resource version: ${revision}, current: ${now}`
  throw new ApiFailure({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: ${message}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  })
}

export function parseVersion(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw badRequest(`Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`)
  return Number(text)
}

const tokenOf = (continuation: Continuation): string => Buffer.from(JSON.stringify(continuation)).toString('base64url')

function parseToken(token: string): Continuation {
  try {
    const { revision, after } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Partial<Continuation>
    if (Number.isSafeInteger(revision) && typeof after === 'string') return { revision: Number(revision), after }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw badRequest('continue key is not valid')
}
