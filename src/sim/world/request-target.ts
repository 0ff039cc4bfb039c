import { present } from '../../ground/model/present.ts'
import { noSuchPath } from './api-failure.ts'
import { API_RESOURCES, type ApiResource } from './api-resource.ts'

/** What a path names: a kind, in a namespace, of a name, and a part of it. */
export interface RequestTarget {
  readonly resource: ApiResource
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

/** `/api/v1`, `/apis/apps/v1`. */
export const prefixOf = (group: string, version: string): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`

const pathOf = ({ group, version, plural }: ApiResource): string => `${prefixOf(group, version)}/${plural}`

const BY_PATH: ReadonlyMap<string, ApiResource> = new Map(API_RESOURCES.map((resource) => [pathOf(resource), resource]))

/** Reads the path of a request for objects. Throws ApiFailure 404 where it leads nowhere. */
export function parseTarget(path: string): RequestTarget {
  const [prefix, rest] = cut(path)
  const [first = '', second, third, ...more] = rest
  if (first === 'namespaces' && third !== undefined && BY_PATH.has(`${prefix}/${third}`)) {
    const inside = parsed(prefix, [third, ...more], second)
    if (inside.resource.namespaced) return inside
    throw noSuchPath()
  }
  return parsed(prefix, [
    first,
    ...(second === undefined ? [] : [second]),
    ...(third === undefined ? [] : [third]),
    ...more,
  ])
}

function cut(path: string): readonly [string, readonly string[]] {
  const segments = path.split('/').slice(1).map(decoded)
  const [root, group = '', version = ''] = segments
  if (root === 'api') return [`/api/${group}`, segments.slice(2)]
  if (root === 'apis') return [`/apis/${group}/${version}`, segments.slice(3)]
  throw noSuchPath()
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (error) {
    if (error instanceof URIError) throw noSuchPath()
    throw error
  }
}

function parsed(prefix: string, segments: readonly string[], namespace?: string): RequestTarget {
  const [plural = '', name, subresource, ...more] = segments
  const resource = BY_PATH.get(`${prefix}/${plural}`)
  const isWhole = name !== '' && subresource !== '' && more.length === 0
  if (resource === undefined || !isWhole) throw noSuchPath()
  if (resource.namespaced && namespace === undefined && name !== undefined) throw noSuchPath()
  return {
    resource,
    ...present({ namespace, name, subresource }),
  }
}
