import { badRequest, invalid } from './api-failure.ts'
import type { ApiRequest } from './api-request.ts'
import { notSupported, wrong } from './checks/cause.ts'
import type { DeleteOptions, Propagation } from './delete-object.ts'
import { isMap } from './merge-patch.ts'

const OPTIONS = { kind: 'DeleteOptions', group: 'meta.k8s.io' }
const POLICIES: readonly Propagation[] = ['Foreground', 'Background', 'Orphan']

/** From the body, or from the query where it has none. Throws ApiFailure 400 or 422. */
export function deleteOptions({ query, body }: Pick<ApiRequest, 'query' | 'body'>): DeleteOptions {
  if (body !== undefined && body !== null && !isMap(body)) throw badRequest('the delete options are no object')
  const { gracePeriodSeconds, preconditions, propagationPolicy, orphanDependents, dryRun } = isMap(body) ? body : {}
  const asked = query.get('gracePeriodSeconds')
  const grace = gracePeriodSeconds ?? (asked === null ? undefined : Number(asked))
  if (grace !== undefined && grace !== null && !Number.isSafeInteger(grace)) {
    throw badRequest(`gracePeriodSeconds: ${String(grace)} is no whole number`)
  }
  return {
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
    ...(isMap(preconditions) ? { preconditions: preconditionsOf(preconditions) } : {}),
    ...(Array.isArray(dryRun) && dryRun.includes('All') ? { dryRun: true } : {}),
    ...propagationOf(propagationPolicy ?? query.get('propagationPolicy') ?? undefined, orphanDependents),
  }
}

/** apimachinery, meta/v1/validation/validation.go, ValidateDeleteOptions. */
function propagationOf(policy: unknown, orphans: unknown): Pick<DeleteOptions, 'propagation'> {
  if (policy === undefined)
    return typeof orphans === 'boolean' ? { propagation: orphans ? 'Orphan' : 'Background' } : {}
  const field = 'propagationPolicy'
  if (typeof orphans === 'boolean') {
    throw invalid(OPTIONS, '', [wrong(field, policy, 'orphanDependents and deletionPropagation cannot be both set')])
  }
  const known = POLICIES.find((each) => each === policy)
  if (known === undefined) throw invalid(OPTIONS, '', [notSupported(field, policy, POLICIES)])
  return { propagation: known }
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
