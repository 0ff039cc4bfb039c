import type { Cluster, Kind, KindMap } from '../ports/cluster.ts'
import { FollowCache, type FollowCacheParts } from './follow-cache.ts'

export type { Freshness } from './follow-cache.ts'

interface WatchCacheParts<K extends Kind> extends Omit<FollowCacheParts<KindMap[K]>, 'follow'> {
  readonly cluster: Pick<Cluster, 'follow'>
  readonly kind: K
}

/** The objects of one kind as the API server sent them last, in the order of their keys. */
export class WatchCache<K extends Kind> extends FollowCache<KindMap[K]> {
  readonly kind: K

  constructor({ cluster, kind, ...parts }: WatchCacheParts<K>) {
    super({ ...parts, follow: (sink, signal) => cluster.follow(kind, sink, signal) })
    this.kind = kind
  }
}
