import { NOTICE_KINDS } from '../../../../roll/model/notify-spec.ts'
import type { Field } from '../roll-file-outline.ts'
import type { Carried, KuredReader } from './kured-reader.ts'

/** In the cluster: has each variable as a key. */
export const NOTIFY_SECRET = 'evenkeel-notify'

interface Receiver {
  readonly field: Field
  /** The variable that must hold the secret. */
  readonly variable: string
}

/** `spec.notify`. No secret is written: the roll reads it from a variable. */
export function notifyField(kured: KuredReader): readonly Field[] {
  const receiver = receiverOf(kured)
  if (receiver === undefined) return []
  const name = { key: 'name', value: 'kured' }
  const on = { key: 'on', value: [...NOTICE_KINDS] }
  const comment = `Of kured. The environment variable ${receiver.variable} must hold the secret.`
  return [{ key: 'notify', value: { items: [{ value: { fields: [name, on, receiver.field] } }] }, comment }]
}

/** The service of a URL of shoutrrr, which says nothing of its secret. */
export const serviceOf = (url: string): string => /^([a-z][a-z0-9+.-]{0,30}):\/\//i.exec(url)?.[1]?.toLowerCase() ?? ''

const fromVariable = (key: string, variable: string): Field => ({
  key,
  value: { fields: [{ key: 'env', value: variable }] },
})

const CHANNEL = /^[A-Za-z0-9#][A-Za-z0-9._-]*$/

function receiverOf(kured: KuredReader): Receiver | undefined {
  const url = kured.text('notify-url')
  if (url === undefined) return kured.text('slack-hook-url') === undefined ? undefined : slackWebhook
  const service = serviceOf(url)
  if (service === 'slack') return slackOf(url)
  const template = TEMPLATES[service]
  if (template === undefined && !/^generic(\+https?)?$/.test(service)) return undefined
  const variable = service === 'discord' ? 'DISCORD_WEBHOOK' : service === 'teams' ? 'TEAMS_WEBHOOK' : 'NOTIFY_URL'
  const texts = template === undefined ? [] : [{ key: 'template', value: template }]
  return { variable, field: { key: 'webhook', value: { fields: [fromVariable('urlFrom', variable), ...texts] } } }
}

const TEMPLATES: Readonly<Record<string, string>> = {
  discord: '{"content": "{title}: {text}"}',
  teams: '{"text": "{title}: {text}"}',
}

const slackWebhook: Receiver = {
  variable: 'SLACK_WEBHOOK',
  field: { key: 'slack', value: { fields: [fromVariable('webhook', 'SLACK_WEBHOOK')] } },
}

/** A token of a bot posts to a channel; three parts of a path are those of an incoming webhook. */
function slackOf(url: string): Receiver {
  const [, channel] = /xox[a-z][:-][^@]*@([^/?]+)/.exec(url) ?? []
  if (channel === undefined || !CHANNEL.test(channel)) return slackWebhook
  const fields = [{ key: 'channel', value: channel }, fromVariable('token', 'SLACK_TOKEN')]
  return { variable: 'SLACK_TOKEN', field: { key: 'slack', value: { fields } } }
}

/** What becomes of `notify-url`, or of `slack-hook-url`. */
export function notifyCarried(kured: KuredReader, isScheduled: boolean): Carried {
  const receiver = receiverOf(kured)
  const where = isScheduled
    ? `the key ${receiver?.variable} of the Secret ${NOTIFY_SECRET}`
    : `the variable ${receiver?.variable}`
  if (receiver !== undefined) return { as: 'notify', why: `put the secret into ${where}` }
  return {
    why: 'a roll posts to Slack and to webhooks; put a relay between, or write notify by hand (docs/notifications.md)',
  }
}
