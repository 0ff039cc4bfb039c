import { quantity } from '../../ground/model/quantity.ts'
import type { ApiObject } from '../world/api-object.ts'
import { apiVersionOf, VOLUME_CLAIMS, VOLUMES } from '../world/api-resource.ts'
import { stampOf, type World } from '../world/world.ts'
import { ObjectIndex } from './object-index.ts'
import { isGoing } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'
import type { ClaimObject, VolumeObject } from './volume-object.ts'

const LAG_MS = 20
const BOUND = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' }

const classOf = (object: ApiObject): string => (object as ClaimObject | VolumeObject).spec.storageClassName ?? ''

/** Binds claims to volumes that were created beforehand, by storage class. The returned function ends it. */
export function runVolumeBinder(parts: ActorParts): () => void {
  const { world } = parts
  const claims = new ObjectIndex<ClaimObject>(world.store, VOLUME_CLAIMS, (claim) => [classOf(claim)])
  const volumes = new ObjectIndex<VolumeObject>(world.store, VOLUMES, (volume) => [classOf(volume)])
  const end = runReconciler(parts, {
    watches: [
      [VOLUME_CLAIMS, ({ object }) => [classOf(object)]],
      [VOLUMES, ({ object }) => [classOf(object)]],
    ],
    lagMs: LAG_MS,
    sync: (name) => {
      for (const volume of volumes.of(name)) settle(world, volume)
      const free = volumes.of(name).filter(({ spec }) => spec.claimRef?.uid === undefined)
      bindAll(world, claims.of(name), free)
      return undefined
    },
  })
  return () => {
    end()
    claims.end()
    volumes.end()
  }
}

/** A volume without a claim is available. A volume whose claim is gone is not, until an administrator reclaims it. */
function settle(world: World, volume: VolumeObject): void {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec
  if (claimRef?.uid === undefined) {
    setPhase(world, volume, 'Available')
    return
  }
  const claim = world.store.get(VOLUME_CLAIMS, { namespace: claimRef.namespace ?? '', name: claimRef.name })
  if (claim?.metadata.uid === claimRef.uid) return
  if (persistentVolumeReclaimPolicy === 'Delete') world.store.remove(VOLUMES, volume.metadata)
  else setPhase(world, volume, 'Released')
}

function setPhase(world: World, volume: VolumeObject, phase: string): void {
  if (volume.status?.phase === phase) return
  world.store.put(VOLUMES, { ...volume, status: { ...volume.status, ...phaseNow(world, phase) } })
}

const phaseNow = ({ clock }: World, phase: string) => ({ phase, lastPhaseTransitionTime: stampOf(clock.wallMs()) })

/** Claims in their order, each to the smallest volume that is large enough (pkg/controller/volume/persistentvolume). */
function bindAll(world: World, claims: readonly ClaimObject[], free: readonly VolumeObject[]): void {
  const left = new Set(free.toSorted((a, b) => sizeOf(a) - sizeOf(b)))
  for (const claim of claims) {
    if (claim.status?.phase === 'Bound' || isGoing(claim)) continue
    const volume = left.values().find((each) => suits(each, claim))
    if (volume === undefined) continue
    left.delete(volume)
    bind(world, claim, volume)
  }
}

const sizeOf = ({ spec }: VolumeObject): number => bytesOf(spec.capacity?.storage)
const bytesOf = (text = ''): number => quantity(text) ?? 0

function suits(volume: VolumeObject, { metadata, spec }: ClaimObject): boolean {
  const { claimRef, accessModes = [] } = volume.spec
  if ((spec.volumeName ?? volume.metadata.name) !== volume.metadata.name) return false
  if (claimRef !== undefined) return claimRef.namespace === metadata.namespace && claimRef.name === metadata.name
  return (
    sizeOf(volume) >= bytesOf(spec.resources?.requests?.storage) &&
    (spec.accessModes ?? []).every((mode) => accessModes.includes(mode))
  )
}

function bind(world: World, claim: ClaimObject, volume: VolumeObject): void {
  const { name, namespace, uid, resourceVersion } = claim.metadata
  const { capacity, accessModes } = volume.spec
  const apiVersion = apiVersionOf(VOLUME_CLAIMS)
  world.store.put(VOLUMES, {
    ...volume,
    spec: {
      ...volume.spec,
      claimRef: { kind: VOLUME_CLAIMS.kind, apiVersion, namespace, name, uid, resourceVersion },
    },
    status: { ...volume.status, ...phaseNow(world, 'Bound') },
  })
  world.store.put(VOLUME_CLAIMS, {
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...BOUND } },
    spec: { ...claim.spec, volumeName: volume.metadata.name },
    status: { phase: 'Bound', ...(capacity && { capacity }), ...(accessModes && { accessModes }) },
  })
}
