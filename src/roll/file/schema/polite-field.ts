import { z } from 'zod'
import { durationField } from './duration-field.ts'
import { fieldMeta, section } from './section.ts'
import { selectorField } from './selector-field.ts'
import { textField } from './text-field.ts'

const namespaceName = textField({
  title: 'namespace',
  pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
  rule: 'lower-case letters, digits and "-"',
  description: 'Name of a namespace.',
  example: 'shop',
})

export const namespacesField = z
  .array(namespaceName)
  .min(1)
  .meta(fieldMeta('list', { description: 'Only pods in these namespaces. Absent: in all.', example: ['shop'] }))
  .exactOptional()

const entry = section(
  {
    selector: selectorField({ description: 'Labels of the pods.', example: 'app=whoami' }),
    namespaces: namespacesField,
    leaveAfter: durationField({
      description:
        'How long a pod keeps serving after it has left its Services. Each kube-proxy writes its rules at most once a second, and does not report when it has done so.',
      from: '1s',
      to: '1h',
    }).prefault('6s'),
  },
  'A selection of pods.',
)

export const politeField = z
  .array(entry)
  .min(1)
  .meta(
    fieldMeta('list', {
      description:
        'Pods of Deployments that leave only after their replacement is Ready elsewhere and no Service sends to them any more: for services that exit immediately on SIGTERM. Absent: none.',
      example: [{ selector: 'app=whoami', leaveAfter: '6s' }],
    }),
  )
