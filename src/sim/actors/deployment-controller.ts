import { isDeepStrictEqual } from 'node:util'
import { present } from '../../ground/model/present.ts'
import type { ApiObject } from '../world/api-object.ts'
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../world/api-resource.ts'
import { createObject } from '../world/create-object.ts'
import { deleteObject } from '../world/delete-object.ts'
import { replaceObject } from '../world/replace-object.ts'
import { keyOf } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { type DeploymentObject, rollingLimits } from './deployment-object.ts'
import { progressCheckMs } from './deployment-progress.ts'
import { deploymentStatus } from './deployment-status.ts'
import { ObjectIndex } from './object-index.ts'
import { controllerReference, ownedPods, ownerKeys, wasAccepted } from './owned-pods.ts'
import { controllerOf, isGoing } from './pod-object.ts'
import type { ReplicaSetObject } from './replica-set-object.ts'
import { emptied, pausedScales, rolloutScales, type Scale } from './rollout-scales.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'
import { templateHash } from './template-hash.ts'

const LAG_MS = 10
const HASH = 'pod-template-hash'
const REVISION = 'deployment.kubernetes.io/revision'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

type Notes = Readonly<Record<string, string>>

type Sets = ObjectIndex<ReplicaSetObject>

/** Keeps one ReplicaSet for each template of a Deployment, and rolls from one to the next. The returned function ends it. */
export function runDeploymentController(parts: ActorParts): () => void {
  const { world } = parts
  const sets: Sets = new ObjectIndex(world.store, REPLICA_SETS, (set) => [controllerOf(set)?.uid ?? ''])
  const end = runReconciler(parts, {
    watches: [
      [DEPLOYMENTS, ({ object }) => [keyOf(object.metadata)]],
      [REPLICA_SETS, (change) => ownerKeys(DEPLOYMENTS.kind, change)],
      [PODS, (change) => (change.type === 'DELETED' ? deploymentOf(world, change.object) : [])],
    ],
    lagMs: LAG_MS,
    sync: (key) => {
      const [namespace = '', name = ''] = key.split('/')
      const deployment = world.store.get(DEPLOYMENTS, { namespace, name }) as DeploymentObject | undefined
      if (deployment === undefined) return undefined
      return isGoing(deployment) ? syncStatus(world, sets, deployment) : sync(world, sets, deployment)
    },
  })
  return () => {
    end()
    sets.end()
  }
}

/** A Deployment with the strategy Recreate waits until its last old pod is gone. */
function deploymentOf(world: World, pod: ApiObject): readonly string[] {
  const owner = controllerOf(pod)
  const namespace = pod.metadata.namespace ?? ''
  const set =
    owner?.kind === REPLICA_SETS.kind ? world.store.get(REPLICA_SETS, { namespace, name: owner.name }) : undefined
  return set === undefined ? [] : ownerKeys(DEPLOYMENTS.kind, { object: set })
}

/** What is being deleted is only looked at (deployment_controller.go, syncStatusOnly). */
function syncStatus(world: World, sets: Sets, deployment: DeploymentObject): undefined {
  const hash = templateHash(deployment.spec.template)
  const all = sets.of(deployment.metadata.uid)
  const current = all.find(({ metadata }) => metadata.labels?.[HASH] === hash)
  const latest = current === undefined ? deployment : revised(world, deployment, { current, sets: all })
  const status = deploymentStatus({ deployment: latest, current, isNew: false, all, nowMs: world.clock.wallMs() })
  if (!isDeepStrictEqual(status, latest.status)) world.store.put(DEPLOYMENTS, { ...latest, status })
  return undefined
}

function sync(world: World, sets: Sets, deployment: DeploymentObject): number | 'failed' | undefined {
  const { uid } = deployment.metadata
  const hash = templateHash(deployment.spec.template)
  const isCurrent = ({ metadata }: ReplicaSetObject): boolean => metadata.labels?.[HASH] === hash
  const others = (): readonly ReplicaSetObject[] => sets.of(uid).filter((set) => !isCurrent(set) && !isGoing(set))
  const isHeld =
    deployment.spec.strategy?.type === 'Recreate' && others().some((set) => ownedPods(world, set).length > 0)
  const isMissing = !sets.of(uid).some(isCurrent) && deployment.spec.paused !== true
  if (isMissing && isHeld) scaleAll(world, emptied(others()))
  const isMade = isMissing && !isHeld && makeSet(world, deployment, { hash, old: others() })
  const current = sets.of(uid).find(isCurrent)
  if (deployment.spec.paused === true) scaleAll(world, pausedScales({ deployment, current, old: others() }))
  else if (current !== undefined) scaleAll(world, rolloutScales({ deployment, current, old: others(), isHeld }))
  if (current !== undefined) forget(world, deployment, others())
  const latest = current === undefined ? deployment : revised(world, deployment, { current, sets: sets.of(uid) })
  const status = deploymentStatus({
    deployment: latest,
    current: sets.of(uid).find(isCurrent),
    isNew: isMade,
    all: sets.of(uid),
    nowMs: world.clock.wallMs(),
  })
  if (!isDeepStrictEqual(status, latest.status)) world.store.put(DEPLOYMENTS, { ...latest, status })
  const isRefused = isMissing && !isHeld && !isMade
  return isRefused ? 'failed' : progressCheckMs({ ...latest, ...present({ status }) }, world.clock.wallMs())
}

interface Making {
  readonly hash: string
  readonly old: readonly ReplicaSetObject[]
}

function makeSet(world: World, deployment: DeploymentObject, { hash, old }: Making): boolean {
  const { metadata, spec } = deployment
  const { replicas = 1, minReadySeconds, selector, template } = spec
  const labels = { ...template.metadata?.labels, [HASH]: hash }
  const room = replicas + rollingLimits(deployment).surge - old.reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0)
  return wasAccepted(() =>
    createObject(world, {
      resource: REPLICA_SETS,
      namespace: metadata.namespace ?? 'default',
      body: {
        metadata: {
          name: `${metadata.name}-${hash}`,
          labels,
          annotations: { ...notesOf(deployment), [REVISION]: String(lastRevision(old) + 1) },
          ownerReferences: [controllerReference(DEPLOYMENTS, deployment)],
        },
        spec: {
          replicas: Math.max(0, Math.min(replicas, room)),
          ...present({ minReadySeconds }),
          selector: { ...selector, matchLabels: { ...selector?.matchLabels, [HASH]: hash } },
          template: { ...template, metadata: { ...template.metadata, labels } },
        },
      },
    }),
  )
}

const revisionOf = ({ metadata }: ReplicaSetObject): number => Number(metadata.annotations?.[REVISION] ?? 0)

const lastRevision = (sets: readonly ReplicaSetObject[]): number => Math.max(0, ...sets.map(revisionOf))

function scaleAll(world: World, scales: readonly Scale[]): void {
  for (const [{ metadata }, replicas] of scales) {
    const old = world.store.get(REPLICA_SETS, metadata) as ReplicaSetObject | undefined
    if (old === undefined) continue
    const body = { ...old, spec: { ...old.spec, replicas } }
    replaceObject(world, { resource: REPLICA_SETS, old, body, statusOnly: false })
  }
}

/** Old, empty ReplicaSets beyond the history limit. */
function forget(world: World, { spec }: DeploymentObject, old: readonly ReplicaSetObject[]): void {
  const empty = old.filter(({ spec: own, status }) => own.replicas === 0 && (status?.replicas ?? 0) === 0)
  const tooMany = Math.max(0, empty.length - (spec.revisionHistoryLimit ?? 10))
  const byAge = empty.toSorted((a, b) => revisionOf(a) - revisionOf(b))
  for (const set of byAge.slice(0, tooMany)) deleteObject(world, { resource: REPLICA_SETS, old: set, options: {} })
}

interface Revising {
  readonly current: ReplicaSetObject
  readonly sets: readonly ReplicaSetObject[]
}

/** What a Deployment hands on to its ReplicaSet: all but what the controller notes (deployment_util.go, skipCopyAnnotation). */
const notesOf = ({ metadata }: DeploymentObject): Notes =>
  Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(
      ([name]) => !name.startsWith('deployment.kubernetes.io/') && name !== LAST_APPLIED,
    ),
  )

/** A template that is used again becomes the newest revision (sync.go, getNewReplicaSet). */
function revised(world: World, deployment: DeploymentObject, { current, sets }: Revising): DeploymentObject {
  const others = lastRevision(sets.filter(({ metadata }) => metadata.uid !== current.metadata.uid))
  const revision = String(Math.max(revisionOf(current), others + 1))
  const set = world.store.get(REPLICA_SETS, current.metadata)
  const noted = set === undefined ? undefined : annotated(set, { ...notesOf(deployment), [REVISION]: revision })
  if (noted !== undefined && noted !== set) world.store.put(REPLICA_SETS, noted)
  const next = annotated(deployment, { [REVISION]: revision })
  return next === deployment ? deployment : (world.store.put(DEPLOYMENTS, next) as DeploymentObject)
}

/** The same object, if all of it is noted. */
function annotated<T extends ApiObject>(object: T, notes: Notes): T {
  const { metadata } = object
  if (Object.entries(notes).every(([name, value]) => metadata.annotations?.[name] === value)) return object
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...notes } } }
}
