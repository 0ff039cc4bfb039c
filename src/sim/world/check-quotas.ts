import { ApiFailure } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import { PODS, RESOURCE_QUOTAS } from './api-resource.ts'
import type { World } from './world.ts'

interface QuotaObject extends ApiObject {
  readonly spec?: { readonly hard?: Readonly<Record<string, string | number>> }
}

type Ended = ApiObject & { readonly status?: { readonly phase?: string } }

const isOver = (pod: ApiObject): boolean => /^(Succeeded|Failed)$/.test((pod as Ended).status?.phase ?? '')

/** Of quotas, the number of pods alone. Throws ApiFailure 403 where another pod would be one too many (plugin ResourceQuota). */
export function checkQuotas({ store }: World, namespace: string, name: string): void {
  const quotas = ([...store.all(RESOURCE_QUOTAS)] as QuotaObject[]).filter(
    (one) => one.metadata.namespace === namespace,
  )
  if (quotas.length === 0) return
  const used = [...store.all(PODS)].filter((pod) => pod.metadata.namespace === namespace && !isOver(pod)).length
  for (const { metadata, spec } of quotas) {
    const limit = spec?.hard?.pods
    if (limit === undefined || used < Number(limit)) continue
    throw new ApiFailure({
      code: 403,
      reason: 'Forbidden',
      message: `pods "${name}" is forbidden: exceeded quota: ${metadata.name}, requested: pods=1, used: pods=${used}, limited: pods=${limit}`,
      details: { name, kind: 'pods' },
    })
  }
}
