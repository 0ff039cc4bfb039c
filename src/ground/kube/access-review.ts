import type { Access } from '../model/access.ts'
import type { Untrusted } from '../model/untrusted.ts'
import type { ApiCall } from './api-call.ts'
import type { ApiClient } from './api-client.ts'
import { askObject } from './api-object.ts'

const AT_ONCE = 4

/** Which of these rights this identity does not have (authorization.k8s.io/v1 SelfSubjectAccessReview), in the given order. */
export async function forbiddenAccess(
  client: ApiClient,
  wanted: readonly Access[],
  signal: AbortSignal,
): Promise<readonly Access[]> {
  const forbidden: Access[] = []
  for (let first = 0; first < wanted.length; first += AT_ONCE) {
    const some = wanted.slice(first, first + AT_ONCE)
    const allowed = await Promise.all(some.map((access) => isAllowed(client, access, signal)))
    forbidden.push(...some.filter((_, index) => !allowed[index]))
  }
  return forbidden
}

function isAllowed(client: ApiClient, resourceAttributes: Access, signal: AbortSignal): Promise<boolean> {
  const call: ApiCall = {
    verb: 'create',
    resource: 'selfsubjectaccessreviews.authorization.k8s.io',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
  }
  const parse = (review: Untrusted) => review.at('status').at('allowed').flagOr(false)
  return askObject(client, { call, parse }, signal)
}
