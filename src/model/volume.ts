/** storage.k8s.io/v1 VolumeAttachment. */
export interface VolumeAttachment {
  readonly name: string
  readonly nodeName: string
  readonly attacher: string
  readonly persistentVolumeName?: string
  readonly attached: boolean
}

export interface VolumeClaim {
  readonly namespace: string
  readonly name: string
  /** The bound PersistentVolume. */
  readonly volumeName?: string
}
