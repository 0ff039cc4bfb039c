import { present } from '../model/present.ts'
import type { ConditionsChange } from '../ports/cluster.ts'
import { segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'

/**
 * A strategic patch, as kubelets write theirs: conditions are merged by their type (core/v1 NodeStatus, `patchMergeKey: type`).
 */
export async function setConditions(
  client: ApiClient,
  { node, uid, resourceVersion, conditions: changed }: ConditionsChange,
  signal: AbortSignal,
): Promise<void> {
  const conditions = Object.entries(changed).map(([type, given]) => {
    if (given === null) return { $patch: 'delete', type }
    const { status = 'True', reason, message, at, isSameStatus } = given
    const since = isSameStatus === true ? {} : { lastTransitionTime: at }
    return { type, status, reason, message, lastHeartbeatTime: at, ...since }
  })
  await client.ask(
    {
      verb: 'patch',
      resource: 'nodes/status',
      path: `/api/v1/nodes/${segment(node)}/status`,
      body: { metadata: { uid, ...present({ resourceVersion }) }, status: { conditions } },
      isStrategic: true,
    },
    signal,
  )
}
