import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { present } from '../../../ground/model/present.ts'
import { plainly } from '../../../ground/model/sentence.ts'
import type { HookTarget } from '../../model/notify-spec.ts'
import type { Notice } from './notice.ts'

/** Slack takes 40,000 characters and folds a message long before that. */
const TEXT_CHARACTERS_MAX = 3_000
const LINE_CHARACTERS_MAX = 500

/** The JSON body for a receiver. `thread` is Slack's name of the first message of the run. */
export function messageBody(target: HookTarget, notice: Notice, thread?: string): string {
  switch (target.kind) {
    case 'slack': {
      const { channel } = target
      return JSON.stringify({
        channel,
        ...slackMessage(notice),
        ...present({ thread_ts: thread }),
      })
    }
    case 'slackWebhook':
      return JSON.stringify(slackMessage(notice))
    case 'webhook':
      return target.template === undefined ? plainBody(notice) : filled(target.template, notice)
  }
}

const plainBody = (notice: Notice): string =>
  JSON.stringify({ apiVersion: 'evenkeel.dev/v1alpha1', kind: 'RollNotice', ...renamed(notice) }, plainly)

/** Kubernetes calls the type of a document `kind`, so the kind of the notice has another name. */
const renamed = ({ kind, lines, ...notice }: Notice) => ({ about: kind, ...notice, text: textOf({ lines, next: [] }) })

/** Text from the cluster becomes no link, and Slack fetches nothing that it names. */
const slackMessage = (notice: Notice) => ({
  text: slackText(notice),
  parse: 'none',
  unfurl_links: false,
  unfurl_media: false,
})

/** Bold title, then the details. Text from the cluster can mention nobody and hide no address; it may be bold, as `*this*`. */
function slackText(notice: Notice): string {
  const title = `*${slackEscaped(escapeForeign(notice.title))}*`
  const details = textOf(notice)
  return details === '' ? title : `${title}\n${slackEscaped(details)}`
}

const slackEscaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function textOf({ lines, next }: Pick<Notice, 'lines' | 'next'>): string {
  const all = [...lines, ...next.map((command) => `next: ${command}`)].map((line) =>
    escapeForeign(line, LINE_CHARACTERS_MAX),
  )
  const kept: string[] = []
  for (const line of all) {
    if ([...kept, line].join('\n').length > TEXT_CHARACTERS_MAX) break
    kept.push(line)
  }
  const left = all.length - kept.length
  return [...kept, ...(left === 0 ? [] : [`${left} more, see evenkeel roll status`])].join('\n')
}

const PLACEHOLDERS = {
  title: ({ title }) => title,
  text: (notice) => textOf(notice),
  about: ({ kind }) => kind,
  run: ({ run }) => run,
  roll: ({ roll }) => roll,
  node: ({ node = '' }) => node,
  at: ({ at }) => at,
  exitCode: ({ exitCode }) => (exitCode === undefined ? '' : String(exitCode)),
  nodesDone: ({ nodesDone }) => String(nodesDone),
  nodesTotal: ({ nodesTotal }) => String(nodesTotal),
} satisfies Record<string, (notice: Notice) => string>

const PLACEHOLDER = /\{([A-Za-z]+)\}/g

/** Only texts of the template are replaced, so a value can never change its shape. */
function filled(template: string, notice: Notice): string {
  const fill = (text: string): string =>
    text.replaceAll(PLACEHOLDER, (written, name: string) =>
      Object.hasOwn(PLACEHOLDERS, name) ? PLACEHOLDERS[name as keyof typeof PLACEHOLDERS](notice) : written,
    )
  return JSON.stringify(JSON.parse(template), (_key, value: unknown) =>
    typeof value === 'string' ? fill(value) : value,
  )
}

/** Why a template cannot be used, as a sentence without its field; undefined: it can. */
export function templateFault(template: string): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(template)
  } catch (error) {
    return `the template is no JSON: ${error instanceof Error ? error.message : String(error)}`
  }
  if (typeof parsed !== 'object' || parsed === null) return 'the template is no JSON object'
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  const unknown = names.find((name) => !Object.hasOwn(PLACEHOLDERS, name))
  if (unknown === undefined) return undefined
  return `the template has no placeholder {${unknown}}; it has ${Object.keys(PLACEHOLDERS)
    .map((name) => `{${name}}`)
    .join(', ')}`
}
