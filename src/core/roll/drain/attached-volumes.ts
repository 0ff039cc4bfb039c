import type { VolumeAttachment } from '../../../model/volume.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'

/** Volumes still attached here that no pod which stays (or is still to leave in a later stage) uses. */
export function strandedVolumes(s: NodeSnapshot): readonly VolumeAttachment[] {
  const used = new Set(
    podsHere(s).flatMap((pod) =>
      pod.claims.map(
        (claim) => s.cluster.claims.find((pvc) => pvc.namespace === pod.namespace && pvc.name === claim)?.volumeName,
      ),
    ),
  )
  return s.cluster.attachments.filter(
    (attachment) =>
      attachment.nodeName === s.current.node.name &&
      attachment.persistentVolumeName !== undefined &&
      !used.has(attachment.persistentVolumeName),
  )
}
