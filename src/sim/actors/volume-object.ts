import type { ApiObject } from '../world/api-object.ts'
import { VOLUME_CLAIMS, VOLUMES } from '../world/api-resource.ts'
import type { World } from '../world/world.ts'
import type { NodeSelector } from './node-affinity.ts'
import { claimNames, type PodObject } from './pod-object.ts'

export interface VolumeObject extends ApiObject {
  readonly spec: {
    readonly storageClassName?: string
    readonly capacity?: { readonly storage?: string }
    readonly accessModes?: readonly string[]
    readonly persistentVolumeReclaimPolicy?: string
    readonly claimRef?: { readonly namespace?: string; readonly name: string; readonly uid?: string }
    readonly nodeAffinity?: { readonly required?: NodeSelector }
    readonly csi?: { readonly driver: string; readonly volumeHandle: string }
  }
  readonly status?: { readonly phase?: string }
}

export interface ClaimObject extends ApiObject {
  readonly spec: {
    readonly storageClassName?: string
    readonly volumeName?: string
    readonly accessModes?: readonly string[]
    readonly resources?: { readonly requests?: { readonly storage?: string } }
  }
  readonly status?: { readonly phase?: string }
}

/** The claims of a pod by name; undefined where there is none of that name. */
export const claimsOf = ({ store }: World, pod: PodObject): readonly (readonly [string, ClaimObject | undefined])[] =>
  claimNames(pod).map((name) => {
    const key = { name, namespace: pod.metadata.namespace ?? '' }
    return [name, store.get(VOLUME_CLAIMS, key) as ClaimObject | undefined]
  })

/** What its claims are bound to. */
export const volumesOf = (world: World, pod: PodObject): readonly VolumeObject[] =>
  claimsOf(world, pod).flatMap(([, claim]) => {
    const name = claim?.spec.volumeName ?? ''
    const volume = name === '' ? undefined : (world.store.get(VOLUMES, { name }) as VolumeObject | undefined)
    return volume === undefined ? [] : [volume]
  })
