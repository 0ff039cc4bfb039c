import { z } from 'zod'
import { atLeastOneOf } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { namespacesField } from './polite-field.ts'
import { fieldMeta, section } from './section.ts'
import { selectorField } from './selector-field.ts'
import { switchField } from './switch-field.ts'

const limit = (description: string) => durationField({ description, from: '1s', to: '24h' }).exactOptional()

const entry = section(
  {
    selector: selectorField({ description: 'Labels of the pods.', example: 'app=legacy' }).exactOptional(),
    namespaces: namespacesField,
    wait: limit(
      'How long the roll waits for a pod that is not allowed to leave, before it does anything else. Absent: 1min.',
    ),
    surge: limit(
      'How long the replacement, which the roll starts first, may take to become Ready. Only for pods of Deployments; for other pods the roll goes to the next field immediately.',
    ),
    ask: limit(
      'How long the roll holds for an answer: the annotation `evenkeel.dev/blocked` of the pod, `delete` or `wait`.',
    ),
    delete: switchField(
      'Delete the pod at the end, in spite of its budget: what the budget protects is lost. This also deletes pods that the drain does not evict, with the data in their emptyDir.',
      false,
    ),
  },
  'A selection of pods. The first entry that selects a pod counts.',
)
  .superRefine(atLeastOneOf(['selector', 'namespaces'], 'selector: app=legacy'), { when: () => true })
  .superRefine(atLeastOneOf(['wait', 'surge', 'ask', 'delete'], 'ask: 1h'), { when: () => true })

export const blockedField = z
  .array(entry)
  .min(1)
  .meta(
    fieldMeta('list', {
      description:
        'What the roll does, in this order, with a pod whose eviction is refused, or that the drain does not evict. Absent: the roll waits until `blockedLimit`.',
      example: [{ selector: 'app=legacy', wait: '2min', surge: '5min', ask: '1h' }],
    }),
  )
