import type { FollowCacheParts } from '../../ground/loop/follow-cache.ts'
import type { Leader } from '../../ground/loop/leader.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { ConfigMaps } from '../../ground/ports/config-maps.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { ObjectNotices } from '../../ground/ports/object-notices.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { Random } from '../../ground/ports/random.ts'

/** The ports and settings of a controller's loop that takes nodes out. */
export interface ControllerParts {
  readonly objects: Objects
  readonly cluster: Pick<
    Cluster,
    'list' | 'follow' | 'nodeVersions' | 'readNode' | 'patchNode' | 'readLease' | 'writeLease'
  >
  /** Lists and watches all Nodes; settles only when aborted, with the signal's reason. */
  readonly followNodes: FollowCacheParts<Node>['follow']
  readonly configMaps: Pick<ConfigMaps, 'read'>
  readonly notices: ObjectNotices
  readonly leader: Pick<Leader, 'mayActForMs'>
  /** By which the controller leads, and its slots live. */
  readonly lease: ObjectRef
  /** Of the slots and of the budget object. */
  readonly namespace: string
  readonly grantsNamespace: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}
