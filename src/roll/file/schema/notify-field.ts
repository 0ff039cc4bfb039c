import { z } from 'zod'
import { templateFault } from '../../decide/notify/message-body.ts'
import { NOTICE_KINDS } from '../../model/notify-spec.ts'
import { exactlyOneOf, uniqueBy } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { headersField, secretSection } from './secret-fields.ts'
import { fieldMeta, section } from './section.ts'
import { nameField, textField } from './text-field.ts'
import { urlField } from './url-field.ts'

/** These URLs are passwords: a person who has one can post. */
const SECRET_HOSTS: ReadonlySet<string> = new Set(['hooks.slack.com', 'discord.com', 'outlook.office.com'])

const plainUrl = urlField
  .superRefine((text, context) => {
    if (!URL.canParse(text) || !SECRET_HOSTS.has(new URL(text).hostname)) return
    const params = { code: 'config.secret', fix: 'write urlFrom with env or file' }
    context.addIssue({ code: 'custom', message: 'this URL is a secret and does not belong in the file', params })
  })
  .meta(
    fieldMeta('url', {
      description: 'The http or https URL that receives the POST, if the URL is not a secret.',
      example: 'https://alerts.example.com/evenkeel',
    }),
  )

const slackSection = section(
  {
    channel: textField({
      title: 'channel',
      pattern: /^[A-Za-z0-9#][A-Za-z0-9._-]*$/,
      rule: 'a channel id or name',
      description: 'The channel, by its id or name. Needs `token`.',
      example: 'C0123456789',
    }).exactOptional(),
    token: secretSection(
      'Where the token of a Slack app with the scope `chat:write` is read. All messages of a run are one thread.',
    ).exactOptional(),
    webhook: secretSection(
      'Where the URL of an incoming webhook is read, in place of `channel` and `token`. Slack gives such messages no thread.',
    ).exactOptional(),
    api: urlField
      .meta(
        fieldMeta('url', {
          description: 'The address that posts a message with a token.',
          example: 'https://slack-gov.com/api/chat.postMessage',
        }),
      )
      .prefault('https://slack.com/api/chat.postMessage'),
  },
  'A message to Slack.',
)
  .superRefine(exactlyOneOf(['token', 'webhook'], 'token: { env: SLACK_TOKEN }'), { when: () => true })
  .superRefine(({ token, channel }, context) => {
    if ((token === undefined) === (channel === undefined)) return
    const params = { code: 'config.choice', fix: 'write channel beside token' }
    context.addIssue({ code: 'custom', message: 'channel and token belong together', params })
  })

const webhookSection = section(
  {
    url: plainUrl.exactOptional(),
    urlFrom: secretSection('Where the roll reads the URL, if the URL is a secret.').exactOptional(),
    headers: headersField('Headers of the request, in addition to `content-type: application/json`.'),
    template: z
      .string()
      .max(16_384)
      .superRefine((text, context) => {
        const fault = templateFault(text)
        if (fault !== undefined)
          context.addIssue({ code: 'custom', message: fault, params: { code: 'config.template' } })
      })
      .meta(
        fieldMeta('JSON', {
          description:
            'The body as a JSON object. In its texts `{title}`, `{text}`, `{about}`, `{run}`, `{roll}`, `{node}`, `{at}`, `{exitCode}`, ' +
            '`{nodesDone}` and `{nodesTotal}` are filled in. Absent: a document of kind RollNotice.',
          example: '{"summary": "{title}", "details": "{text}"}',
        }),
      )
      .exactOptional(),
  },
  'A POST of JSON to any receiver.',
).superRefine(exactlyOneOf(['url', 'urlFrom'], 'url: https://alerts.example.com/evenkeel'), { when: () => true })

const ALL_BUT_NODE = NOTICE_KINDS.filter((kind) => kind !== 'node')

const hook = section(
  {
    name: nameField({ description: 'Name of the receiver, in warnings.', example: 'on-call' }),
    slack: slackSection.exactOptional(),
    webhook: webhookSection.exactOptional(),
    on: z
      .array(z.enum(NOTICE_KINDS).meta({ title: 'word' }))
      .min(1)
      .superRefine(uniqueBy(), { when: () => true })
      .meta(
        fieldMeta('list', {
          description:
            'What is sent: `started`; `node`, when a node is finished; `holding`, when a hold lasts; `resumed`, when such a hold ends; ' +
            'and how the roll ended: `done`, `held`, `stopped`, `aborted`, `interrupted`. Absent: all but `node`.',
          example: ['holding', 'held', 'stopped'],
        }),
      )
      .prefault([...ALL_BUT_NODE]),
    holdFor: durationField({ description: 'How long a hold lasts before it is sent.', from: '1s', to: '24h' }).prefault(
      '2min',
    ),
    timeout: durationField({ description: 'How long one request may take.', from: '100ms', to: '1min' }).prefault(
      '10s',
    ),
  },
  'One receiver.',
).superRefine(exactlyOneOf(['slack', 'webhook'], 'webhook: { url: https://alerts.example.com/evenkeel }'), {
  when: () => true,
})

export const notifyField = z
  .array(hook)
  .min(1)
  .superRefine(uniqueBy('name'), { when: () => true })
  .meta(
    fieldMeta('list', {
      description:
        'The receivers of notifications about the roll. If a message cannot be delivered, the roll tries again, then warns and drops it. A receiver never stops a roll.',
    }),
  )
