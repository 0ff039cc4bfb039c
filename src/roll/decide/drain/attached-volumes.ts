import type { Pod } from '../../../ground/model/pod.ts'
import type { VolumeAttachment, VolumeClaim } from '../../../ground/model/volume.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'

interface OnNode {
  readonly node: string
  readonly pods: readonly Pod[]
  readonly claims: readonly VolumeClaim[]
  readonly attachments: readonly VolumeAttachment[]
}

/** Volumes that are still attached here and that no pod uses which stays, or leaves in a later stage. */
export const strandedVolumes = (s: NodeSnapshot): readonly VolumeAttachment[] =>
  volumesLeft({
    node: s.current.node.name,
    pods: podsHere(s),
    claims: s.cluster.claims,
    attachments: s.cluster.attachments,
  })

/** Volumes attached to the node that none of its pods uses. */
export function volumesLeft({ node, pods, claims, attachments }: OnNode): readonly VolumeAttachment[] {
  const used = new Set(
    pods.flatMap((pod) =>
      pod.claims.map(
        (claim) => claims.find((pvc) => pvc.namespace === pod.namespace && pvc.name === claim)?.volumeName,
      ),
    ),
  )
  return attachments.filter(
    (attachment) =>
      attachment.nodeName === node &&
      attachment.persistentVolumeName !== undefined &&
      !used.has(attachment.persistentVolumeName),
  )
}
