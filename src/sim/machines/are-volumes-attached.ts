import { isAttachable, uniqueName } from '../actors/csi-volume.ts'
import type { NodeObject } from '../actors/node-object.ts'
import { claimNames } from '../actors/pod-object.ts'
import { volumesOf } from '../actors/volume-object.ts'
import { NODES, VOLUME_ATTACHMENTS } from '../world/api-resource.ts'
import type { World } from '../world/world.ts'
import type { NodePod } from './node-pod.ts'

interface Attachment {
  readonly spec: { readonly nodeName: string; readonly source: { readonly persistentVolumeName?: string } }
  readonly status?: { readonly attached?: boolean }
}

/**
 * Whether every volume of a driver that the pod uses is attached to the node, and the node says that it uses it
 * (operation_generator.go, GenerateVerifyControllerAttachedVolumeFunc).
 */
export function areVolumesAttached(world: World, pod: NodePod, node: string): boolean {
  if (claimNames(pod).length === 0) return true
  const wanted = volumesOf(world, pod).filter(isAttachable)
  if (wanted.length === 0) return true
  const { status } = (world.store.get(NODES, { name: node }) as NodeObject | undefined) ?? {}
  if (!wanted.every((volume) => status?.volumesInUse?.includes(uniqueName(volume)) === true)) return false
  const attachments = [...world.store.all(VOLUME_ATTACHMENTS)] as unknown as readonly Attachment[]
  const here = attachments
    .filter(({ spec, status }) => spec.nodeName === node && status?.attached === true)
    .map(({ spec }) => spec.source.persistentVolumeName)
  return wanted.every(({ metadata }) => here.includes(metadata.name))
}
