import { badRequest } from './api-failure.ts'
import type { ApiRequest } from './api-request.ts'
import type { DeleteOptions } from './delete-object.ts'
import { isMap } from './merge-patch.ts'

/** From the body, or from the query where it has none. Throws ApiFailure 400. */
export function deleteOptions({ query, body }: Pick<ApiRequest, 'query' | 'body'>): DeleteOptions {
  if (body !== undefined && body !== null && !isMap(body)) throw badRequest('the delete options are no object')
  const { gracePeriodSeconds, preconditions } = isMap(body) ? body : {}
  const asked = query.get('gracePeriodSeconds')
  const grace = gracePeriodSeconds ?? (asked === null ? undefined : Number(asked))
  if (grace !== undefined && grace !== null && !Number.isSafeInteger(grace)) {
    throw badRequest(`gracePeriodSeconds: ${String(grace)} is no whole number`)
  }
  return {
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
    ...(isMap(preconditions) ? { preconditions: preconditionsOf(preconditions) } : {}),
  }
}

function preconditionsOf({
  uid,
  resourceVersion,
}: Readonly<Record<string, unknown>>): NonNullable<DeleteOptions['preconditions']> {
  return {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  }
}
