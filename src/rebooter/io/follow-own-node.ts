import type { FollowParts } from '../../ground/kube/follow.ts'
import { followNamed, type Named } from '../../ground/kube/follow-named.ts'
import { parseNode } from '../../ground/kube/parse-node.ts'
import type { Node } from '../../ground/model/node.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { FollowEvent } from '../../ground/ports/cluster.ts'

/** One watch of one Node. */
export const followOwnNode =
  (parts: FollowParts, name: string) =>
  (sink: (event: FollowEvent<Node>) => void, signal: AbortSignal): Promise<void> =>
    followNamed(
      parts,
      { named: { path: '/api/v1/nodes', resource: 'nodes', name, parse: parseNode, senseless }, sink },
      signal,
    )

const senseless: Named<never>['senseless'] = {
  type: 'broken',
  error: new WorldError('the API server sent a malformed Node', { code: 'KUBE_REPLY', retry: 'backoff' }),
  retryInMs: 0,
}
