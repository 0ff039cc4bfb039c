import type { PodChange, PodVersion } from '../ports/cluster.ts'
import { segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'

/**
 * A merge patch with the pod's version: the API server refuses it with 409 where the pod has another one. A version belongs to
 * one pod only.
 */
export async function relabelPod(
  client: ApiClient,
  { pod, change }: { readonly pod: PodVersion; readonly change: PodChange },
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, resourceVersion } = pod
  await client.ask(
    {
      verb: 'patch',
      resource: 'pods',
      path: `/api/v1/namespaces/${segment(namespace)}/pods/${segment(name)}`,
      body: { metadata: { resourceVersion, ...change } },
    },
    signal,
  )
}
