import { present } from '../../ground/model/present.ts'
import { badRequest } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import type { ApiReply, ApiRequest } from './api-request.ts'
import { parseFieldSelector } from './field-selector.ts'
import { isTrue } from './is-true.ts'
import { parseLabelSelector } from './label-selector.ts'
import { listObjects, type ObjectList } from './list-objects.ts'
import type { RequestTarget } from './request-target.ts'
import { bookmark, watchedUpTo, watchObjects } from './watch-objects.ts'
import { watchStart } from './watch-start.ts'
import type { World } from './world.ts'

/** `GET` of a kind: a page of a list, or a watch where the query asks for one. */
export function readCollection(world: World, request: ApiRequest, target: RequestTarget): ApiReply {
  const { query } = request
  const matches = matcher(query, target)
  const scope = {
    resource: target.resource,
    matches,
    ...present({ namespace: target.namespace }),
  }
  if (isTrue(query.get('watch'))) {
    const watching = { ...scope, ...watchStart(query, world.store.revision) }
    const timeout = query.get('timeoutSeconds')
    return {
      code: 200,
      bookmarks: isTrue(query.get('allowWatchBookmarks')),
      ...(timeout === null ? {} : { timeoutSeconds: wholeNumber('timeoutSeconds', timeout) }),
      open: (sink) => watchObjects(world, watching, sink),
      bookmark: () => bookmark(target.resource, watchedUpTo(world, target.resource)),
    }
  }
  const version = query.get('resourceVersion') ?? ''
  const limit = query.get('limit')
  const token = query.get('continue')
  const isSelected = (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== ''
  const body = listObjects(world, {
    ...scope,
    isSelected,
    ...(limit === null ? {} : { limit: wholeNumber('limit', limit) }),
    ...(token === null || token === '' ? {} : { continueToken: token }),
    ...(version === '' ? {} : { resourceVersion: version }),
  })
  return { code: 200, body: wantsMetadataAlone(request.accept) ? metadataAlone(body) : body }
}

const wantsMetadataAlone = (accept: string | undefined): boolean =>
  /;as=PartialObjectMetadataList(;|,|$)/.test(accept ?? '')

function metadataAlone({ items, metadata }: ObjectList): unknown {
  const of = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
  return { ...of, kind: `${of.kind}List`, metadata, items: items.map((item) => ({ ...of, metadata: item.metadata })) }
}

function matcher(query: URLSearchParams, { resource, name }: RequestTarget): (object: ApiObject) => boolean {
  const byLabels = parseLabelSelector(query.get('labelSelector') ?? '')
  const byFields = parseFieldSelector(resource, query.get('fieldSelector') ?? '')
  return (object) =>
    (name === undefined || object.metadata.name === name) && byLabels(object.metadata.labels) && byFields(object)
}

function wholeNumber(field: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw badRequest(`${field}: "${text}" is no whole number`)
}
