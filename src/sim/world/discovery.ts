import type { ApiReply, ApiRequest } from './api-request.ts'
import { API_RESOURCES, type ApiResource } from './api-resource.ts'
import { prefixOf } from './request-target.ts'

/** The API's version that the world follows, and its contract suite is run against. */
const SERVER_VERSION = 'v1.35.4'

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']

/** What the API server says of itself: health, version, and what it serves. Undefined for every other request. */
export function discoveryPage({ method, path }: ApiRequest): ApiReply | undefined {
  if (method !== 'GET') return undefined
  switch (path) {
    case '/livez':
    case '/readyz':
    case '/healthz':
      return { code: 200, body: 'ok' }
    case '/openapi/v2':
      // kubectl validates nothing that the document does not describe. It asks for protobuf, of which an empty text is an empty document.
      return { code: 200, body: '' }
    case '/version':
      return { code: 200, body: { major: '1', minor: '35', gitVersion: SERVER_VERSION, platform: 'embedded' } }
    case '/api':
      return { code: 200, body: { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] } }
    case '/apis':
      return { code: 200, body: { kind: 'APIGroupList', apiVersion: 'v1', groups: GROUPS } }
  }
  const served = API_RESOURCES.filter(({ group, version }) => prefixOf(group, version) === path)
  return served.length === 0 ? undefined : { code: 200, body: resourceList(path, served) }
}

const GROUPS = [...new Map(API_RESOURCES.map((resource) => [resource.group, resource])).values()]
  .filter(({ group }) => group !== '')
  .map(({ group, version }) => {
    const served = { groupVersion: `${group}/${version}`, version }
    return { name: group, versions: [served], preferredVersion: served }
  })

function resourceList(path: string, served: readonly ApiResource[]): unknown {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: path.replace(/^\/apis?\//, ''),
    resources: served.flatMap((resource) => [entryOf(resource), ...subresourcesOf(resource)]),
  }
}

const entryOf = ({ plural, kind, namespaced, shortNames }: ApiResource): unknown => ({
  name: plural,
  singularName: kind.toLowerCase(),
  namespaced,
  kind,
  verbs: VERBS,
  ...(shortNames.length === 0 ? {} : { shortNames }),
})

/** Their kind where it is another than the object's, which is how kubectl finds out what it can evict and scale. */
const KINDS: Readonly<Record<string, { readonly kind: string; readonly group: string; readonly version: string }>> = {
  eviction: { kind: 'Eviction', group: 'policy', version: 'v1' },
  scale: { kind: 'Scale', group: 'autoscaling', version: 'v1' },
}

function subresourcesOf({ plural, kind, namespaced, status, subresources }: ApiResource): readonly unknown[] {
  const names = [...(status === undefined ? [] : ['status']), ...subresources]
  return names.map((name) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    kind,
    ...KINDS[name],
    verbs: name === 'eviction' ? ['create'] : ['get', 'patch', 'update'],
  }))
}
