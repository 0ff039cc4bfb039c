import type { SeenEvent } from '../api/api-door.ts'
import type { ClusterDoor } from './cluster-door.ts'
import type { Seen } from './seen-objects.ts'

/** What is watched, by the path of its collection. */
const PATHS: { readonly [K in keyof Seen]: string } = {
  node: '/api/v1/nodes',
  lease: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
  pod: '/api/v1/namespaces/default/pods',
  claim: '/api/v1/namespaces/default/persistentvolumeclaims',
  slice: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
  budget: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
  deployment: '/apis/apps/v1/namespaces/default/deployments',
  replicaSet: '/apis/apps/v1/namespaces/default/replicasets',
  statefulSet: '/apis/apps/v1/namespaces/default/statefulsets',
  daemonSet: '/apis/apps/v1/namespaces/default/daemonsets',
  attachment: '/apis/storage.k8s.io/v1/volumeattachments',
}

type Kind = keyof Seen

/** One commit, as a watch told of it. */
export interface Change<K extends Kind = Kind> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: Seen[K]
  /** When it was told. */
  readonly atMs: number
  /** Counts the commits of the whole cluster: what orders changes of all kinds. */
  readonly revision: number
}

/** Everything that happens in a cluster from when it is opened, in the order of the commits. */
export class ClusterLog {
  readonly #changes = new Map<Kind, Change[]>()
  readonly #closes: (() => void)[] = []

  static async open(door: ClusterDoor): Promise<ClusterLog> {
    const log = new ClusterLog()
    for (const [kind, path] of Object.entries(PATHS)) {
      const watch = await door.api.watch(`${path}?watch=true`, (event) => log.#hear(kind as Kind, event, door.nowMs()))
      log.#closes.push(() => watch.close())
    }
    return log
  }

  /** All changes of a kind after a revision, in the order of the commits. */
  changes<K extends Kind>(kind: K, afterRevision = 0): readonly Change<K>[] {
    const all = (this.#changes.get(kind) ?? []) as unknown as readonly Change<K>[]
    return afterRevision === 0 ? all : all.filter(({ revision }) => revision > afterRevision)
  }

  /** What there is, as of the latest commit or of an earlier one. */
  all<K extends Kind>(kind: K, upToRevision = Number.POSITIVE_INFINITY): readonly Seen[K][] {
    const byName = new Map<string, Change<K>>()
    for (const change of this.changes(kind)) {
      if (change.revision <= upToRevision) byName.set(change.object.metadata.name, change)
    }
    return [...byName.values()].filter(({ type }) => type !== 'DELETED').map(({ object }) => object)
  }

  named<K extends Kind>(kind: K, name: string): Seen[K] | undefined {
    return this.all(kind).find(({ metadata }) => metadata.name === name)
  }

  close(): void {
    for (const close of this.#closes) close()
  }

  #hear(kind: Kind, { type, object }: SeenEvent, atMs: number): void {
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') throw new Error(`a watch of ${kind}: ${type}`)
    const seen = object as Seen[Kind]
    const changes = this.#changes.get(kind) ?? []
    this.#changes.set(kind, changes)
    const revision = Number(seen.metadata.resourceVersion)
    // What was there at the beginning comes by its names.
    const place = changes.findLastIndex((change) => change.revision <= revision) + 1
    changes.splice(place, 0, { type, object: seen, atMs, revision })
  }
}
