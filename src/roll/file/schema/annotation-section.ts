import { z } from 'zod'
import { labelKeyFault } from '../../../ground/text/label-syntax.ts'
import { balancerWay } from './balancer-way.ts'
import { durationField } from './duration-field.ts'
import { wholeNumberField } from './number-field.ts'
import { fieldMeta, section } from './section.ts'
import { textField } from './text-field.ts'

/** The roll's own annotations: a change of one of them would lose a record. */
const OWN = /^([a-z0-9.-]+\.)?evenkeel\.dev\//

const keyField = (description: string, name: string) =>
  z
    .string()
    .superRefine((text, context) => {
      const hint = OWN.test(text) ? 'annotations of evenkeel.dev belong to the roll itself' : labelKeyFault(text)
      if (hint === undefined) return
      const params = { code: 'config.annotation-key', hint }
      context.addIssue({
        code: 'custom',
        message: `"${text.slice(0, 80)}" is not the annotation of a detacher`,
        params,
      })
    })
    .meta(fieldMeta('annotation key', { description, example: `node-detacher.variant.run/${name}` }))

const timeField = (description: string, example: string) =>
  durationField({ description, from: '0s', to: '1h', example })

const KEYS = ['key', 'detachedKey', 'attachedKey'] as const

/** Each key means something else: a key that is written twice would acknowledge its own request. */
function differentKeys(value: unknown, context: z.core.$RefinementCtx<unknown>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const written = value as Readonly<Record<string, unknown>>
  KEYS.forEach((field, at) => {
    const first = KEYS.slice(0, at).find((other) => written[other] === written[field])
    if (first === undefined || typeof written[field] !== 'string') return
    const params = { code: 'config.repeated', fix: 'write the key that the detacher uses for this' }
    context.addIssue({ code: 'custom', message: `"${field}" is the same key as "${first}"`, path: [field], params })
  })
}

const annotationSection = section(
  {
    key: keyField('Annotation of the Node that requests the detacher to take the node out.', 'detached'),
    value: textField({
      title: 'text',
      pattern: /^[^\u0000-\u001f\u007f]+$/,
      rule: 'text of one line',
      description:
        'The value that the roll sets. Any other value is a request of another program, and the roll never removes it.',
      example: 'evenkeel',
    }).prefault('evenkeel'),
    detachedKey: keyField(
      'Annotation that the detacher sets once the node is detached: an RFC 3339 time. The detacher removes it once the node is attached again.',
      'detachment-timestamp',
    ),
    attachedKey: keyField(
      'Annotation that the detacher sets once the node is attached again: an RFC 3339 time. Without it, the node counts as attached once `detachedKey` is gone.',
      'attachment-timestamp',
    ).exactOptional(),
    dataPort: wholeNumberField(
      { description: 'Port where the nodes serve the traffic of the load balancers.', example: 443 },
      { from: 1, to: 65_535 },
    ),
    grace: timeField('How long to wait after “detached” is first seen, until traffic has stopped.', '30s').prefault(
      '30s',
    ),
    attachGrace: timeField('How long to wait after “attached” is first seen, until traffic is back.', '30s').prefault(
      '30s',
    ),
    skew: durationField({
      description: 'How far the clock of the detacher may be behind the clock of the machine that runs the roll.',
      from: '0s',
      to: '5min',
      example: '5s',
    }).prefault('5s'),
  },
  'A detacher that runs in the cluster, such as node-detacher. The roll sets an annotation of the Node as a request, and the detacher answers with a time in another annotation.',
).superRefine(differentKeys, { when: () => true })

export const annotation = balancerWay({
  section: annotationSection,
  instead: 'the roll sends its request to the detacher, and queries no balancer',
  viaOf: ({ key, value, grace, attachGrace, skew, ...same }) => ({
    kind: 'detacher',
    ...same,
    request: { key, value },
    graceMs: grace,
    attachGraceMs: attachGrace,
    skewMs: skew,
  }),
})
