import { list, object, type Schema, text } from './open-api.ts'

/** `status.conditions`. */
export const conditionsSchema = (description: string): Schema =>
  list(description, condition(), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })

const condition = (): Schema =>
  object(
    'One thing that holds, does not hold, or is not known (metav1.Condition).',
    {
      type: text('What it is about. Example: Ready.', { maxLength: 316 }),
      status: text('True, False or Unknown.', { enum: ['True', 'False', 'Unknown'] }),
      observedGeneration: {
        description: 'The generation of the spec that it is about.',
        type: 'integer',
        format: 'int64',
        minimum: 0,
      },
      lastTransitionTime: text('When its status changed last.', { format: 'date-time' }),
      reason: text('Why, as one word.', { maxLength: 1_024 }),
      message: text('Why, as a sentence.', { maxLength: 32_768 }),
    },
    { required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'] },
  )
