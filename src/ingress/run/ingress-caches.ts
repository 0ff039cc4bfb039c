import type { FollowCache, FollowCacheParts } from '../../ground/loop/follow-cache.ts'
import { FollowCaches } from '../../ground/loop/follow-caches.ts'
import { JoinedLists } from '../../ground/loop/owned/joined-lists.ts'
import { withKnownSpecs } from '../../ground/loop/owned/known-specs.ts'
import { DAEMON_SETS, DEPLOYMENTS, GATES } from '../../ground/loop/owned/owned-kinds.ts'
import {
  INGRESS_GROUPS,
  INGRESS_LABEL,
  INGRESS_NODE_LABEL,
  INGRESS_UID_LABEL,
  type IngressGroup,
} from '../../ground/model/ingress-keys.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import type { FoundDaemonSet, FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { isSameNode, isSamePlace } from '../../ground/model/same-node.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { IngressFound, IngressPod } from '../decide/found.ts'
import { type CheckedIngress, ingressKind } from '../decide/ingress-kind.ts'
import { givesWay } from '../decide/precedence.ts'
import { INGRESS_PODS, REVISIONS } from './ingress-kinds.ts'

interface Named {
  readonly name: string
  readonly namespace: string
}

interface CachesParts {
  readonly objects: Pick<Objects, 'follow'>
  /** Lists and watches all Nodes; settles only when aborted, with the signal's reason. */
  readonly followNodes: FollowCacheParts<Node>['follow']
  readonly clock: Clock
  /** The API groups whose CustomResourceDefinition is installed. */
  readonly groups: readonly IngressGroup[]
  /** The object of that key has changed. */
  readonly onObject: (key: string) => void
  /** A Deployment, a pod or another object of that object has changed. */
  readonly onOwned: (key: string) => void
  /** Something that concerns all objects has changed. */
  readonly onFleet: () => void
}

/** `GROUP/NAMESPACE/NAME`. */
export const ingressKey = ({ group, namespace, name }: CheckedIngress): string => `${group}/${namespace}/${name}`

/** The caches of the ingress loop: all Nodes, and what has the label of an IngressDaemonSet. */
export class IngressCaches extends FollowCaches {
  readonly nodes: FollowCache<Node>
  readonly deployments: FollowCache<FoundDeployment>
  readonly gates: FollowCache<OwnedObject>
  readonly revisions: FollowCache<OwnedObject>
  readonly pods: FollowCache<IngressPod>
  readonly #daemonSets: FollowCache<FoundDaemonSet>
  readonly #objects: ReadonlyMap<IngressGroup, FollowCache<CheckedIngress>>
  readonly #podsOf: { get(object: string): (selected: string) => readonly IngressPod[] }
  readonly #podsBySelector = new WeakMap<(selected: string) => readonly IngressPod[], IngressFound['podsOf']>()
  readonly #deploymentsOf: { get(value: string): readonly FoundDeployment[] }
  readonly #gatesOf: { get(value: string): readonly OwnedObject[] }
  readonly #orphanGatesOf: { get(value: string): readonly OwnedObject[] }
  readonly #gatesAndOrphans = new JoinedLists<OwnedObject>()
  readonly #revisionsOf: { get(value: string): readonly OwnedObject[] }
  readonly #daemonSetsOf: { get(value: string): readonly FoundDaemonSet[] }

  constructor(parts: CachesParts) {
    super(parts)
    const { objects, followNodes, groups, onFleet } = parts
    const owned = <T extends Named>(kind: ObjectKind<T>, ingressOf: (one: T) => string | undefined) =>
      this.objectsOf(
        { kind, labelSelector: INGRESS_LABEL },
        {
          onKey: (_key, { before, now }) =>
            this.#changed(
              parts,
              [before, now].map((one) => (one === undefined ? undefined : ownerKey(one.namespace, ingressOf(one)))),
            ),
        },
      )
    const byLabel = ({ labels }: OwnedObject): string | undefined => labels[INGRESS_LABEL]
    this.nodes = this.cacheOf(followNodes, {
      isNews: (before, now) => !isSamePlace(before, now),
      isSame: isSameNode,
      onChange: onFleet,
    })
    this.deployments = owned(DEPLOYMENTS, byLabel)
    this.gates = owned(GATES, byLabel)
    this.revisions = owned(REVISIONS, byLabel)
    this.pods = owned(INGRESS_PODS, ({ ingress }) => ingress)
    this.#daemonSets = owned(DAEMON_SETS, byLabel)
    this.#podsOf = this.pods.indexWithin(
      ({ namespace, ingress }) => ownerKey(namespace, ingress),
      ({ ingressUid, nodeLabel }) => [selectedBy(ingressUid, nodeLabel)],
    )
    const byNamespace = ({ namespace }: OwnedObject): readonly string[] => [namespace]
    this.#deploymentsOf = this.deployments.index(byNamespace)
    this.#gatesOf = this.gates.index(({ controller }) => (controller === undefined ? [] : [controller.uid]))
    this.#orphanGatesOf = this.gates.index(({ controller, namespace }) => (controller === undefined ? [namespace] : []))
    this.#revisionsOf = this.revisions.index(byNamespace)
    this.#daemonSetsOf = this.#daemonSets.index(byNamespace)
    this.#objects = new Map(
      groups.map((group) => {
        const follow: FollowCacheParts<CheckedIngress>['follow'] = (sink, signal) =>
          objects.follow({ kind: ingressKind(group) }, withKnownSpecs(sink), signal)
        const cache = this.cacheOf(follow, {
          onKey: (key, { before, now }) => {
            parts.onObject(`${group}/${key}`)
            if (wordsOf(before) !== wordsOf(now)) this.#wakeWhoGiveWay(parts)
          },
        })
        return [group, cache]
      }),
    )
  }

  object(key: string): CheckedIngress | undefined {
    const slash = key.indexOf('/')
    const group = INGRESS_GROUPS.find((one) => one === key.slice(0, slash))
    return group === undefined ? undefined : this.#objects.get(group)?.get(key.slice(slash + 1))
  }

  objects(): readonly CheckedIngress[] {
    return [...this.#objects.values()].flatMap((cache) => cache.objects())
  }

  /** The object's pods, by the selector of their Deployment. The same function until one of them changes. */
  podsOf({ namespace, name }: CheckedIngress): IngressFound['podsOf'] {
    const pods = this.#podsOf.get(ownerKey(namespace, name))
    const known = this.#podsBySelector.get(pods)
    const bySelector: IngressFound['podsOf'] =
      known ?? (({ [INGRESS_UID_LABEL]: uid, [INGRESS_NODE_LABEL]: node }) => pods(selectedBy(uid, node)))
    this.#podsBySelector.set(pods, bySelector)
    return bySelector
  }

  /** Deployments and revisions of the whole namespace, since those of others may have one of our names. */
  around({ namespace, uid }: CheckedIngress) {
    const gates = this.#gatesOf.get(uid)
    const orphans = this.#orphanGatesOf.get(namespace)
    return {
      deployments: this.#deploymentsOf.get(namespace),
      gates: this.#gatesAndOrphans.of(gates, orphans),
      revisions: this.#revisionsOf.get(namespace),
      daemonSets: this.#daemonSetsOf.get(namespace),
    }
  }

  /** Another object was deleted or changed, so objects that gave way to it may go on. */
  #wakeWhoGiveWay({ onObject }: CachesParts): void {
    for (const object of this.objects()) if (givesWay(object)) onObject(ingressKey(object))
  }

  #changed({ onOwned }: CachesParts, owners: readonly (string | undefined)[]): void {
    for (const object of this.objects())
      if (owners.includes(ownerKey(object.namespace, object.name))) onOwned(ingressKey(object))
  }
}

const wordsOf = (object: CheckedIngress | undefined): string | undefined =>
  object === undefined ? undefined : `${object.uid}/${object.generation}`

/** The namespace is part of the key, since objects of another namespace may have the same labels. */
const ownerKey = (namespace: string, ingress = ''): string => `${namespace}/${ingress}`

const selectedBy = (uid = '', nodeLabel = ''): string => `${uid}/${nodeLabel}`
