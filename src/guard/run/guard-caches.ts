import type { FollowCache, FollowCacheParts } from '../../ground/loop/follow-cache.ts'
import { FollowCaches } from '../../ground/loop/follow-caches.ts'
import { withKnownSpecs } from '../../ground/loop/owned/known-specs.ts'
import { DAEMON_SETS, DEPLOYMENTS, GATES } from '../../ground/loop/owned/owned-kinds.ts'
import { GUARD_LABEL, GUARD_UID_LABEL } from '../../ground/model/guard-keys.ts'
import type { Node } from '../../ground/model/node.ts'
import type { FoundDaemonSet, FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { present } from '../../ground/model/present.ts'
import { isSameNode, isSamePlace } from '../../ground/model/same-node.ts'
import type { VolumeAttachment } from '../../ground/model/volume.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { GuardPod } from '../decide/found.ts'
import { type CheckedGuard, NODE_GUARDS } from '../decide/guard-kind.ts'
import { GUARD_PODS } from './guard-pods.ts'

interface CachesParts {
  readonly objects: Pick<Objects, 'follow'>
  readonly cluster: Pick<Cluster, 'follow'>
  readonly followNodes: FollowCacheParts<Node>['follow']
  readonly clock: Clock
  /** Something that concerns a guard of this group has changed. */
  readonly onGroup: (group: string) => void
  /** A pod belongs to no known NodeGuard, or a NodeGuard was deleted. */
  readonly onStray: () => void
}

/** The caches of the guard loop. */
export class GuardCaches extends FollowCaches {
  readonly nodes: FollowCache<Node>
  readonly guards: FollowCache<CheckedGuard>
  readonly attachments: FollowCache<VolumeAttachment>
  readonly #deployments: FollowCache<FoundDeployment>
  readonly #gates: FollowCache<OwnedObject>
  readonly #pods: FollowCache<GuardPod>
  readonly #daemonSets: FollowCache<FoundDaemonSet>
  readonly #attachmentsOf: { get(node: string): readonly VolumeAttachment[] }
  readonly #deploymentsOf: { get(uid: string): readonly FoundDeployment[] }
  readonly #gatesOf: { get(uid: string): readonly OwnedObject[] }
  readonly #gatesIn: { get(namespace: string): readonly OwnedObject[] }
  readonly #podsOf: { get(uid: string): readonly GuardPod[] }

  constructor(parts: CachesParts) {
    super(parts)
    const { followNodes, objects, cluster, onGroup, onStray } = parts
    const wakeAll = (): void => {
      for (const { spec } of this.guards.objects()) onGroup(spec.group)
    }
    const wake = (isMeant: (guard: CheckedGuard) => boolean): void => {
      for (const guard of this.guards.objects()) if (isMeant(guard)) onGroup(guard.spec.group)
    }
    this.nodes = this.cacheOf(followNodes, {
      isNews: (before, now) => !isSamePlace(before, now),
      isSame: isSameNode,
      onKey: wakeAll,
    })
    const followGuards: FollowCacheParts<CheckedGuard>['follow'] = (sink, signal) =>
      objects.follow({ kind: NODE_GUARDS }, withKnownSpecs(sink), signal)
    this.guards = this.cacheOf(followGuards, {
      onKey: (_key, { before, now }) => {
        for (const one of [before, now]) if (one !== undefined) onGroup(one.spec.group)
        if (now === undefined || now.deleting) onStray()
      },
    })
    this.attachments = this.cacheOf((sink, signal) => cluster.follow('volumeattachments', sink, signal), {
      onKey: () => wake(({ spec }) => spec.holds.some(({ kind }) => kind === 'volumes')),
    })
    this.#deployments = this.objectsOf(
      { kind: DEPLOYMENTS, labelSelector: GUARD_LABEL },
      {
        onKey: (_key, { before, now }) => {
          const uids = [before, now].map((one) => one?.labels[GUARD_UID_LABEL])
          wake(({ uid }) => uids.includes(uid))
        },
      },
    )
    // Budgets of others count as well: with two budgets over one pod, each eviction of it fails.
    this.#gates = this.objectsOf(
      { kind: GATES },
      {
        onKey: (_key, { before, now }) => {
          const namespace = (now ?? before)?.namespace
          wake((guard) => guard.namespace === namespace)
        },
      },
    )
    this.#pods = this.objectsOf(
      { kind: GUARD_PODS, labelSelector: GUARD_LABEL },
      {
        onKey: (_key, { before, now }) => {
          wake(({ uid }) => uid === before?.guardUid || uid === now?.guardUid)
          if (now !== undefined && this.#isStray(now)) onStray()
        },
      },
    )
    this.#daemonSets = this.objectsOf(
      { kind: DAEMON_SETS },
      {
        isNews: isNewsOfTarget,
        onKey: (key) => wake((guard) => targetKey(guard) === key),
      },
    )
    this.#attachmentsOf = this.attachments.index(({ nodeName }) => [nodeName])
    this.#deploymentsOf = this.#deployments.index(controllerOf)
    this.#gatesOf = this.#gates.index(controllerOf)
    this.#gatesIn = this.#gates.index(({ namespace, labels }) => (GUARD_UID_LABEL in labels ? [] : [namespace]))
    this.#podsOf = this.#pods.index(({ namespace, guardUid }) => [`${namespace}/${guardUid}`])
  }

  ofGroup(group: string): readonly CheckedGuard[] {
    return this.guards.objects().filter(({ spec }) => spec.group === group)
  }

  /** Pods whose deletion is held up by our finalizer although their NodeGuard is deleted. */
  strays(): readonly GuardPod[] {
    return this.#pods.objects().filter((pod) => this.#isStray(pod))
  }

  #isStray({ deleting, isLocked, guardUid }: GuardPod): boolean {
    if (!deleting || !isLocked) return false
    return !this.guards.objects().some(({ uid, deleting }) => uid === guardUid && !deleting)
  }

  attachmentsOf(node: string): readonly VolumeAttachment[] {
    return this.#attachmentsOf.get(node)
  }

  around(guard: CheckedGuard) {
    const { uid, namespace } = guard
    const key = targetKey(guard)
    const daemonSet = key === undefined ? undefined : this.#daemonSets.get(key)
    return {
      ...present({ daemonSet }),
      deployments: this.#deploymentsOf.get(uid),
      gates: this.#gatesOf.get(uid),
      otherGates: this.#gatesIn.get(namespace),
      pods: this.#podsOf.get(`${namespace}/${uid}`),
    }
  }
}

const controllerOf = ({ controller }: OwnedObject): readonly string[] =>
  controller === undefined ? [] : [controller.uid]

function targetKey({ namespace, spec: { follow } }: CheckedGuard): string | undefined {
  return follow.kind === 'daemonSet' ? `${namespace}/${follow.name}` : undefined
}

const isNewsOfTarget = (before: FoundDaemonSet, now: FoundDaemonSet): boolean =>
  before.uid !== now.uid ||
  before.deleting !== now.deleting ||
  JSON.stringify(before.content) !== JSON.stringify(now.content)
