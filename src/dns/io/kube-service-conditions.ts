import { segment } from '../../ground/kube/api-call.ts'
import type { ApiClient } from '../../ground/kube/api-client.ts'
import { listPages } from '../../ground/kube/list-pages.ts'
import { type Condition, parseConditions } from '../../ground/model/condition.ts'
import type { JsonPatch } from '../../ground/model/json-patch.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import { toIsoSeconds, wallMs } from '../../ground/model/time.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { ServiceAsRead, ServiceConditions } from '../ports/service-conditions.ts'

interface Parts {
  readonly client: ApiClient
  readonly log: Log
}

/** It takes the rights to list services, and to patch services/status. */
export const kubeServiceConditions = (parts: Parts): ServiceConditions => ({
  // A list of one: a check has the right to list Services anyway, so that none to get one is needed.
  read: async ({ namespace, name }, signal) => {
    const path = `/api/v1/namespaces/${segment(namespace)}/services`
    const query = { fieldSelector: `metadata.name=${name}` }
    const { objects } = await listPages(parts, { path, resource: 'services', query, parse }, signal)
    return objects.find((service) => service.name === name)
  },
  write: async (service, condition, signal) => {
    const path = `/api/v1/namespaces/${segment(service.namespace)}/services/${segment(service.name)}/status`
    const body = patchOf(service, condition)
    await parts.client.ask({ verb: 'patch', resource: 'services/status', path, body }, signal)
  },
})

function parse(object: Untrusted): ServiceAsRead {
  const { namespace, name, uid, resourceVersion } = parseMetadata(object, 'namespaced')
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    ...present({ generation: object.at('metadata').at('generation').optionalInteger() }),
    conditions: parseConditions(object.at('status')),
  }
}

/** Only the one condition is written: what others have in theirs beyond what is read here stays. */
function patchOf({ resourceVersion, conditions }: ServiceAsRead, condition: Condition): JsonPatch {
  const at = conditions.findIndex(({ type }) => type === condition.type)
  const value = { ...condition, lastTransitionTime: toIsoSeconds(wallMs(Date.parse(condition.lastTransitionTime))) }
  const put =
    conditions.length === 0
      ? ({ op: 'add', path: '/status/conditions', value: [value] } as const)
      : at === -1
        ? ({ op: 'add', path: '/status/conditions/-', value } as const)
        : ({ op: 'replace', path: `/status/conditions/${at}`, value } as const)
  return [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }, put]
}
