import type { ApiObject } from '../world/api-object.ts'
import { CONTROLLER_REVISIONS, STATEFUL_SETS } from '../world/api-resource.ts'
import { createObject } from '../world/create-object.ts'
import { deleteObject } from '../world/delete-object.ts'
import type { World } from '../world/world.ts'
import type { ObjectIndex } from './object-index.ts'
import { controllerReference, type PodTemplate, wasAccepted } from './owned-pods.ts'
import type { PodObject } from './pod-object.ts'
import type { StatefulSetObject } from './stateful-set-object.ts'
import { templateHash } from './template-hash.ts'

export const REVISION_LABEL = 'controller-revision-hash'

/** `apps/v1`, a template that a StatefulSet has or had. */
export interface RevisionObject extends ApiObject {
  readonly revision: number
  readonly data: { readonly spec: { readonly template: PodTemplate } }
}

export interface Revisions {
  /** Of the pods below the partition, and of all pods once a rollout is complete. */
  readonly current: RevisionObject
  /** Of the template that the set has now. */
  readonly update: RevisionObject
}

/** By the uid of their set. */
export type RevisionIndex = ObjectIndex<RevisionObject>

/** undefined: the API refused the new one (stateful_set_control.go, getStatefulSetRevisions). */
export function revisionsOf(world: World, set: StatefulSetObject, known: RevisionIndex): Revisions | undefined {
  const update = updateRevision(world, set, known.of(set.metadata.uid))
  if (update === undefined) return undefined
  const key = { namespace: set.metadata.namespace ?? '', name: set.status?.currentRevision ?? '' }
  const current = world.store.get(CONTROLLER_REVISIONS, key) as RevisionObject | undefined
  return { current: current ?? update, update }
}

/** A template that the set had before becomes the newest revision again. */
function updateRevision(
  world: World,
  set: StatefulSetObject,
  known: readonly RevisionObject[],
): RevisionObject | undefined {
  const { namespace = 'default' } = set.metadata
  const name = `${set.metadata.name}-${templateHash(set.spec.template)}`
  const newest = Math.max(0, ...known.map(({ revision }) => revision))
  const same = known.find(({ metadata }) => metadata.name === name)
  if (same !== undefined) {
    if (same.revision === newest) return same
    return world.store.put(CONTROLLER_REVISIONS, { ...same, revision: newest + 1 }) as RevisionObject
  }
  const { template } = set.spec
  const body = {
    metadata: {
      name,
      labels: { ...template.metadata?.labels, 'controller.kubernetes.io/hash': templateHash(template) },
      ownerReferences: [controllerReference(STATEFUL_SETS, set)],
    },
    data: { spec: { template: { ...template, $patch: 'replace' } } },
    revision: newest + 1,
  }
  const isMade = wasAccepted(() => createObject(world, { resource: CONTROLLER_REVISIONS, namespace, body }))
  return isMade ? (world.store.get(CONTROLLER_REVISIONS, { namespace, name }) as RevisionObject) : undefined
}

interface History extends Revisions {
  readonly set: StatefulSetObject
  readonly pods: readonly PodObject[]
  readonly known: readonly RevisionObject[]
}

/** Templates that no pod has, beyond the limit of the history, the oldest first (truncateHistory). */
export function forgetRevisions(world: World, { set, pods, known, current, update }: History): void {
  const live = new Set([current, update].map(({ metadata }) => metadata.name))
  for (const { metadata } of pods) live.add(metadata.labels?.[REVISION_LABEL] ?? '')
  const idle = known.filter(({ metadata }) => !live.has(metadata.name)).toSorted((a, b) => a.revision - b.revision)
  const tooMany = Math.max(0, idle.length - (set.spec.revisionHistoryLimit ?? 10))
  for (const old of idle.slice(0, tooMany)) {
    deleteObject(world, { resource: CONTROLLER_REVISIONS, old, options: {} })
  }
}
