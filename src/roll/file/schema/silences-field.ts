import { z } from 'zod'
import { appliesToField } from './applies-to-field.ts'
import { uniqueBy } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { onlyPlaceholders } from './placeholders.ts'
import { headersField } from './secret-fields.ts'
import { fieldMeta, section } from './section.ts'
import { switchField } from './switch-field.ts'
import { nameField, textField } from './text-field.ts'
import { urlField } from './url-field.ts'

const matcher = section(
  {
    name: textField({
      title: 'label name',
      pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
      rule: 'the name of a label of alerts',
      description: 'The label of the alerts.',
      example: 'instance',
    }),
    value: textField({
      title: 'text',
      pattern: /./,
      rule: 'some text',
      maxLength: 1024,
      description:
        'What its value must be. `{node}` and `{address}` stand for the node, and are quoted in a regular expression.',
      example: '{address}(:[0-9]+)?',
    }).superRefine(onlyPlaceholders('node', 'address')),
    regex: switchField('The value is a regular expression, which must match all of the label.', false),
  },
  'One matcher.',
)

const silence = section(
  {
    name: nameField({ description: 'Name of the silence, in holds and warnings.', example: 'alertmanager' }),
    url: urlField.meta(
      fieldMeta('url', {
        description: 'The base URL of Alertmanager, without `/api/v2`.',
        example: 'http://alertmanager.example.com:9093',
      }),
    ),
    appliesTo: appliesToField,
    matchers: z
      .array(matcher)
      .min(1)
      .max(16)
      .superRefine(
        (matchers, context) => {
          const isOfNode = (item: { readonly value?: unknown } | undefined): boolean =>
            typeof item?.value === 'string' && /\{(node|address)\}/.test(item.value)
          if (!Array.isArray(matchers) || matchers.length === 0 || matchers.some(isOfNode)) return
          const params = { code: 'config.placeholder', fix: '{name: instance, value: "{node}"}' }
          context.addIssue({ code: 'custom', message: 'the silence would cover every node', params })
        },
        { when: () => true },
      )
      .meta(fieldMeta('list', { description: 'All of them must match. At least one has `{node}` or `{address}`.' })),
    duration: durationField({
      description: 'How long the silence lasts if it is not renewed. The roll renews it every third of this time.',
      from: '1min',
      to: '1h',
    }).prefault('10min'),
    timeout: durationField({ description: 'How long one request may take.', from: '100ms', to: '1min' }).prefault('5s'),
    onFailure: z
      .enum(['hold', 'ignore'])
      .meta(
        fieldMeta('word', {
          description:
            'What is done if Alertmanager does not accept the silence before a node is cordoned, or before a machine gives its addresses away: `ignore` warns and goes on, `hold` waits.',
          example: 'hold',
        }),
      )
      .prefault('ignore'),
    headers: headersField('Headers of the requests.'),
  },
  'One silence of an Alertmanager.',
)

export const silencesField = z
  .array(silence)
  .min(1)
  .max(8)
  .superRefine(uniqueBy('name'), { when: () => true })
  .meta(
    fieldMeta('list', {
      description:
        'Alerts of the current node are silenced: from before the node is cordoned until it is back or stays out. With `appliesTo`, those of machines of `hosts` too.',
    }),
  )
