import { list, object } from '../../../ground/model/schema/open-api.ts'
import type { HoldKind } from './hold-kind.ts'

/** VolumeAttachments on the node, of these CSI drivers; of all where none is named. */
interface VolumesHold {
  readonly drivers: readonly string[]
}

export const volumes: HoldKind<VolumesHold> = {
  schema: object('Volumes that are attached to the node, by the VolumeAttachments of its CSI drivers.', {
    drivers: list(
      'Names of CSI drivers. By default, the volumes of every driver hold the node. Example: [driver.longhorn.io].',
      { type: 'string', minLength: 1, maxLength: 253 },
      { maxItems: 16, 'x-kubernetes-list-type': 'set' },
    ),
  }),
  parse: (field) => ({
    drivers: field
      .at('drivers')
      .each()
      .map((driver) => driver.text()),
  }),
  clearText: ({ drivers }, node) =>
    `clear when no volume${drivers.length === 0 ? '' : ` of ${drivers.join(' or ')}`} is attached to ${node}`,
}
