import type { Pod } from '../../../ground/model/pod.ts'
import type { VolumeAttachment, VolumeClaim } from '../../../ground/model/volume.ts'
import type { Evidence } from '../evidence.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { podsHere } from '../pods-here.ts'

interface OnNode {
  readonly node: string
  readonly pods: readonly Pod[]
  readonly claims: readonly VolumeClaim[]
  readonly attachments: readonly VolumeAttachment[]
}

/** Volumes that pods of this drain had, that are still attached here, and that no pod uses which stays, or leaves in a later stage. */
export function strandedVolumes(s: NodeSnapshot): readonly VolumeAttachment[] {
  const { evicted, volumesSeen = [] } = s.evidence
  const ofDrain = new Set([...volumesSeen, ...Object.values(evicted).flatMap(({ volumes = [] }) => volumes)])
  const { claims, attachments } = s.cluster
  return volumesLeft({ node: s.current.node.name, pods: podsHere(s), claims, attachments }).filter(
    ({ persistentVolumeName = '' }) => ofDrain.has(persistentVolumeName),
  )
}

/** Volumes attached to the node that none of its pods uses. */
export function volumesLeft({ node, pods, claims, attachments }: OnNode): readonly VolumeAttachment[] {
  const used = new Set(volumesOf(pods, claims))
  return attachments.filter(
    (attachment) =>
      attachment.nodeName === node &&
      attachment.persistentVolumeName !== undefined &&
      !used.has(attachment.persistentVolumeName),
  )
}

/** The same evidence where no pod here has a volume that none was seen with. */
export function volumesSeen(s: NodeSnapshot): Pick<Evidence, 'volumesSeen'> {
  const { volumesSeen: before = [] } = s.evidence
  const more = volumesOf(podsHere(s), s.cluster.claims).filter((volume) => !before.includes(volume))
  return more.length === 0 ? {} : { volumesSeen: [...before, ...new Set(more)] }
}

export const volumesOf = (pods: readonly Pod[], claims: readonly VolumeClaim[]): readonly string[] =>
  pods.flatMap(({ namespace, claims: names }) =>
    names.flatMap((name) => claims.find((pvc) => pvc.namespace === namespace && pvc.name === name)?.volumeName ?? []),
  )
