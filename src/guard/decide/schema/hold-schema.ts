import { list, object, type Schema, text } from '../../../ground/model/schema/open-api.ts'
import { holdSchemas } from '../../model/holds/hold-kinds.ts'
import { ALL_KINDS, HOLD_RULES } from './guard-rules.ts'

export const holds = (): Schema =>
  list(
    'Why a node may not be drained yet. A node is granted once all of its holds are clear. A hold that cannot be read counts as held. At most 16.',
    object(
      `One hold, with exactly one of ${ALL_KINDS}.`,
      {
        name: text('Name of the hold, as messages call it. Example: volumes.', { minLength: 1, maxLength: 63 }),
        ...holdSchemas(),
      },
      { required: ['name'], rules: HOLD_RULES },
    ),
    { maxItems: 16, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  )
