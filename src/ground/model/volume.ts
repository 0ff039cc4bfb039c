import type { NodeTerm } from './node-affinity.ts'

/** storage.k8s.io/v1 VolumeAttachment. */
export interface VolumeAttachment {
  readonly name: string
  readonly nodeName: string
  readonly attacher: string
  readonly persistentVolumeName?: string
  readonly attached: boolean
}

export interface PersistentVolume {
  readonly name: string
  /** Its required node affinity; absent: every node reaches it. */
  readonly terms?: readonly NodeTerm[]
}

export interface VolumeClaim {
  readonly namespace: string
  readonly name: string
  /** The bound PersistentVolume. */
  readonly volumeName?: string
}
