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
    wait: limit('How long a pod that may not leave is waited for, before anything else is done. Absent: 1min.'),
    surge: limit(
      'How long a replacement may take that is started first. Only for pods of Deployments; for others the next field counts at once.',
    ),
    ask: limit(
      'How long the roll holds for an answer: the annotation `evenkeel.dev/blocked` of the pod, `delete` or `wait`.',
    ),
    delete: switchField(
      'Delete the pod at the end, past its budget: what its budget protects is lost. Also a pod that may not be evicted, with the data in its emptyDir.',
      false,
    ),
  },
  'One choice of pods. The first entry that chooses a pod counts.',
)
  .superRefine(atLeastOneOf(['selector', 'namespaces'], 'selector: app=legacy'), { when: () => true })
  .superRefine(atLeastOneOf(['wait', 'surge', 'ask', 'delete'], 'ask: 1h'), { when: () => true })

export const blockedField = z
  .array(entry)
  .min(1)
  .meta(
    fieldMeta('list', {
      description:
        'What is done, in this order, with a pod whose eviction is refused, or that the drain may not evict. Absent: it is waited for until `blockedLimit`.',
      example: [{ selector: 'app=legacy', wait: '2min', surge: '5min', ask: '1h' }],
    }),
  )
