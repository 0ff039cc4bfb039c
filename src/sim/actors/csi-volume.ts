import { createHash } from 'node:crypto'
import type { VolumeObject } from './volume-object.ts'

/** Volumes of a driver are attached to a node; others are part of it. */
export const isAttachable = ({ spec }: VolumeObject): boolean => spec.csi !== undefined

/** As a kubelet names it in `status.volumesInUse` (pkg/volume/util, GetUniqueVolumeName). */
export function uniqueName({ spec: { csi } }: VolumeObject): string {
  return `kubernetes.io/csi/${csi?.driver ?? ''}^${csi?.volumeHandle ?? ''}`
}

/** The name of its attachment to a node (csi_attacher.go, getAttachmentName). */
export function attachmentName({ spec: { csi } }: VolumeObject, node: string): string {
  const text = `${csi?.volumeHandle ?? ''}${csi?.driver ?? ''}${node}`
  return `csi-${createHash('sha256').update(text).digest('hex')}`
}

/** A mode that several nodes can have, or none at all (attachdetach/util, IsMultiAttachAllowed). */
export function isForManyNodes({ spec: { accessModes = [] } }: VolumeObject): boolean {
  return accessModes.length === 0 || accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany')
}
