import type { EvictionAnswer } from '../../model/eviction.ts'
import type { ObjectRef } from '../../model/object-ref.ts'
import { WorldError } from '../../model/world-error.ts'
import { type ApiCall, segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'
import { evictionAnswer } from './eviction-answer.ts'
import { given } from './given.ts'

interface EvictionRequest {
  readonly pod: ObjectRef & { readonly uid: string }
  readonly graceSeconds?: number
  readonly dryRun: boolean
}

/** Asks for one eviction (policy/v1), of this very pod and of no other by its name. Rejects by abort alone. */
export async function evict(client: ApiClient, request: EvictionRequest, signal: AbortSignal): Promise<EvictionAnswer> {
  try {
    return evictionAnswer(await client.send(evictionCall(request), signal))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof WorldError)) throw error
    return { kind: 'passing', text: error.message, ...given('retryAfterMs', error.retryAfterMs) }
  }
}

function evictionCall({ pod, graceSeconds, dryRun }: EvictionRequest): ApiCall {
  return {
    verb: 'create',
    resource: 'pods/eviction',
    path: `/api/v1/namespaces/${segment(pod.namespace)}/pods/${segment(pod.name)}/eviction`,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { namespace: pod.namespace, name: pod.name },
      deleteOptions: {
        preconditions: { uid: pod.uid },
        ...given('gracePeriodSeconds', graceSeconds),
        ...given('dryRun', dryRun ? ['All'] : undefined),
      },
    },
  }
}
