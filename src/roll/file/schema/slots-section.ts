import { SLOTS_NAMESPACE } from '../../../ground/model/slot.ts'
import { durationField } from './duration-field.ts'
import { outLimitField } from './out-limit-field.ts'
import { section } from './section.ts'
import { textField } from './text-field.ts'

export const slotsSection = section(
  {
    namespace: textField({
      title: 'name',
      pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
      rule: 'lower-case letters, digits and "-"',
      maxLength: 63,
      description: 'Namespace of the Leases that are the slots, and of the ConfigMap evenkeel-budget. It must exist.',
      example: 'evenkeel',
    }).prefault(SLOTS_NAMESPACE),
    maxOut: outLimitField({
      description:
        'How many nodes may be out, its own included, when this roll takes a node out. A value above the one in ' +
        'evenkeel-budget has no effect. The default is the value in evenkeel-budget, or 1 if that object does not exist.',
      example: 1,
    }).optional(),
    grantsNamespace: textField({
      title: 'name',
      pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
      rule: 'lower-case letters, digits and "-"',
      maxLength: 63,
      description:
        'Namespace of the agents, where a controller publishes in ConfigMap evenkeel-cordon-grants which cordons take a ' +
        'node out. The default is the namespace of the slots.',
      example: 'evenkeel',
    }).optional(),
    leaseDuration: durationField({
      description:
        'A slot that was not seen to be renewed for this long is stale. A holder sends nothing once its last ' +
        'renewal is older than two thirds of it. Whole seconds.',
      from: '15s',
      to: '1h',
      wholeSeconds: true,
    }).prefault('2min'),
  },
  'The node budget: how many nodes may be out.',
)
