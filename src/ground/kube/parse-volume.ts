import { parseNodeSelectorTerms } from '../model/node-affinity.ts'
import { parseMetadata } from '../model/parse-metadata.ts'
import { present } from '../model/present.ts'
import type { Untrusted } from '../model/untrusted.ts'
import type { PersistentVolume, VolumeAttachment, VolumeClaim } from '../model/volume.ts'

export function parseVolumeAttachment(object: Untrusted): VolumeAttachment {
  const spec = object.at('spec')
  return {
    name: parseMetadata(object, 'cluster').name,
    nodeName: spec.at('nodeName').text(),
    attacher: spec.at('attacher').text(),
    attached: object.at('status').at('attached').flagOr(false),
    ...present({ persistentVolumeName: spec.at('source').at('persistentVolumeName').optionalText() }),
  }
}

export function parsePersistentVolume(object: Untrusted): PersistentVolume {
  const required = object.at('spec').at('nodeAffinity').at('required')
  return {
    name: parseMetadata(object, 'cluster').name,
    ...(required.absent ? {} : { terms: parseNodeSelectorTerms(required) }),
  }
}

export function parseVolumeClaim(object: Untrusted): VolumeClaim {
  const { namespace, name } = parseMetadata(object, 'namespaced')
  return { namespace, name, ...present({ volumeName: object.at('spec').at('volumeName').optionalText() || undefined }) }
}
