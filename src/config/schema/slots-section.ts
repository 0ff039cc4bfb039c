import { durationField } from './duration-field.ts'
import { section } from './section.ts'
import { textField } from './text-field.ts'

export const slotsSection = section(
  {
    namespace: textField({
      title: 'name',
      pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
      rule: 'lower-case letters, digits and "-"',
      maxLength: 63,
      description: 'Namespace of the Lease that stands for the slot. It must exist.',
      example: 'evenkeel',
    }).prefault('evenkeel'),
    leaseDuration: durationField({
      description:
        'A slot whose holder was not seen to renew it for this long is stale. A holder sends nothing once its last ' +
        'renewal is older than two thirds of it. Whole seconds.',
      from: '15s',
      to: '1h',
      wholeSeconds: true,
    }).prefault('2min'),
  },
  'The node budget: who may have a node out.',
)
