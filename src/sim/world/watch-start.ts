import { invalid } from './api-failure.ts'
import { isTrue } from './is-true.ts'
import { parseVersion } from './list-objects.ts'
import type { Watching } from './watch-objects.ts'

const LIST_OPTIONS = { kind: 'ListOptions', group: 'meta.k8s.io' }

/**
 * Where a watch begins, by its query (KEP-3157; apimachinery, validation/validation.go, ValidateListOptions): with
 * `sendInitialEvents` by what is there, else after a version. A 422 where the options contradict each other.
 */
export function watchStart(
  query: URLSearchParams,
  revision: number,
): Pick<Watching, 'fromRevision' | 'marksInitialEnd'> {
  const version = query.get('resourceVersion') ?? ''
  const match = query.get('resourceVersionMatch') ?? ''
  const initial = query.get('sendInitialEvents')
  if (initial === null) {
    if (match !== '')
      throw forbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
    return { fromRevision: version === '' ? 0 : parseVersion(version) }
  }
  if (match !== 'NotOlderThan') {
    throw forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  }
  if (isTrue(initial)) return { fromRevision: 0, marksInitialEnd: isTrue(query.get('allowWatchBookmarks')) }
  return { fromRevision: version === '' || version === '0' ? revision : parseVersion(version) }
}

const forbidden = (why: string) =>
  invalid(LIST_OPTIONS, '', [
    { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field: 'resourceVersionMatch' },
  ])
