import type { FollowParts } from '../../ground/kube/follow.ts'
import { followNamed, type Named } from '../../ground/kube/follow-named.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { NodeFeed } from '../ports/node-feed.ts'
import { parseNodeReading } from './parse-node-reading.ts'

/** One watch of one Node object. An object that makes no sense is a fault of the server, not of the node. */
export const kubeNodeFeed = (parts: FollowParts, name: string): NodeFeed => ({
  follow: (sink, signal) =>
    followNamed(
      parts,
      { named: { path: '/api/v1/nodes', resource: 'nodes', name, parse: parseNodeReading, senseless }, sink },
      signal,
    ),
})

const senseless: Named<never>['senseless'] = {
  type: 'broken',
  error: new WorldError('the API server sent a malformed Node', { code: 'KUBE_REPLY', retry: 'backoff' }),
  retryInMs: 0,
}
