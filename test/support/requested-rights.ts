import type { ApiRequest } from '../../src/sim/world/api-request.ts'

interface Owner {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly blockOwnerDeletion?: boolean
}

/**
 * `verb group resource namespace name` for each right that an API server asks for before it carries the request out, `*` for all: as
 * `grantedBy` has it. None for its pages that every account may read.
 */
export function requestedBy(request: ApiRequest): readonly string[] {
  // What comes then is asked of that user's rights.
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(request.as ?? '')
  if (account !== null) return [`impersonate  serviceaccounts ${account.slice(1).join(' ')}`]
  const [root, ...words] = request.path.split('/').filter((word) => word !== '')
  const group = root === 'apis' ? (words.shift() ?? '') : ''
  const [, ...place] = words
  const isWithin = place[0] === 'namespaces' && place.length > 2
  const [resource, named, part] = isWithin ? place.slice(2) : place
  if (resource === undefined || (root !== 'api' && root !== 'apis')) return []
  const namespace = isWithin ? (place[1] ?? '') : '*'
  const name = named ?? selectedName(request) ?? '*'
  const whole = part === undefined ? resource : `${resource}/${part}`
  // The name of what is created stands in its body, which a rule does not see.
  const asked = [verbOf(request, named), group, whole, namespace, name].join(' ')
  return [asked, ...blockedOwners(request).map((owner) => finalizersOf(owner, namespace))]
}

/** Whether one of those rights, as `grantedBy` has them, covers the requested one. */
export const isGranted = (requested: string, granted: readonly string[]): boolean =>
  granted.some((right) => covers(right, requested))

export function covers(right: string, requested: string): boolean {
  const asked = requested.split(' ')
  return right.split(' ').every((word, i) => word === asked[i] || (i > 2 && word === '*'))
}

function verbOf({ method, query }: ApiRequest, name: string | undefined): string {
  if (method === 'POST') return 'create'
  if (method === 'PUT') return 'update'
  if (method === 'PATCH') return 'patch'
  if (method === 'DELETE') return name === undefined ? 'deletecollection' : 'delete'
  if (query.get('watch') === 'true' || query.get('watch') === '1') return 'watch'
  return name === undefined ? 'list' : 'get'
}

const selectedName = ({ query }: ApiRequest): string | undefined =>
  /^metadata\.name=([^,]+)$/.exec(query.get('fieldSelector') ?? '')?.[1]

/** The admission plugin OwnerReferencesPermissionEnforcement asks for a right on each owner that is held up. */
function blockedOwners({ method, body }: ApiRequest): readonly Owner[] {
  if (method !== 'POST') return []
  const { metadata } = (body ?? {}) as { readonly metadata?: { readonly ownerReferences?: readonly Owner[] } }
  return (metadata?.ownerReferences ?? []).filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
}

const finalizersOf = ({ apiVersion, kind, name }: Owner, namespace: string): string =>
  ['update', apiVersion.replace(/\/?[^/]+$/, ''), `${kind.toLowerCase()}s/finalizers`, namespace, name].join(' ')
