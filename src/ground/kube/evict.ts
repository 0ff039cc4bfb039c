import type { EvictionAnswer } from '../model/eviction.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { present } from '../model/present.ts'
import { WorldError } from '../model/world-error.ts'
import { type ApiCall, segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'
import { evictionAnswer } from './eviction-answer.ts'

type ThisPod = ObjectRef & { readonly uid: string }

interface EvictionRequest {
  readonly pod: ThisPod
  readonly graceSeconds?: number
  readonly dryRun: boolean
}

/** Requests one eviction (policy/v1), of exactly this pod and of no other with its name. Rejects only when aborted. */
export const evict = (client: ApiClient, request: EvictionRequest, signal: AbortSignal): Promise<EvictionAnswer> =>
  answerTo(client, evictionCall(request), signal)

/** Deletes exactly this pod. The API server's refusals are those of an eviction, without the ones about budgets. */
export const deletePod = (client: ApiClient, pod: ThisPod, signal: AbortSignal): Promise<EvictionAnswer> =>
  answerTo(client, deletionCall(pod), signal)

async function answerTo(client: ApiClient, call: ApiCall, signal: AbortSignal): Promise<EvictionAnswer> {
  try {
    return evictionAnswer(call, await client.send(call, signal))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof WorldError)) throw error
    return { kind: 'passing', text: error.message, ...present({ retryAfterMs: error.retryAfterMs }) }
  }
}

const pathOf = ({ namespace, name }: ThisPod): string =>
  `/api/v1/namespaces/${segment(namespace)}/pods/${segment(name)}`

const deletionCall = (pod: ThisPod): ApiCall => ({
  verb: 'delete',
  resource: 'pods',
  path: pathOf(pod),
  body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: pod.uid } },
})

function evictionCall({ pod, graceSeconds, dryRun }: EvictionRequest): ApiCall {
  return {
    verb: 'create',
    resource: 'pods/eviction',
    path: `${pathOf(pod)}/eviction`,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { namespace: pod.namespace, name: pod.name },
      deleteOptions: {
        preconditions: { uid: pod.uid },
        ...present({ gracePeriodSeconds: graceSeconds, dryRun: dryRun ? ['All'] : undefined }),
      },
    },
  }
}
