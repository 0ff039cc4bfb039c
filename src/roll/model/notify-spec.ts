/** Where a secret is read when it is needed. The roll file, the journal and the report hold only this. */
export type SecretRef = { readonly env: string } | { readonly file: string }

/** A URL that is no secret, or the place from which it is read. */
export type HookUrl = { readonly url: string } | SecretRef

/** What a notification can be about. `resumed` follows a `holding` that was sent. */
export const NOTICE_KINDS = [
  'started',
  'node',
  'holding',
  'resumed',
  'done',
  'held',
  'stopped',
  'aborted',
  'interrupted',
] as const

export type NoticeKind = (typeof NOTICE_KINDS)[number]

export type HookTarget =
  /** A message that a bot posts. Only this form can keep the messages of one run in one thread. */
  | { readonly kind: 'slack'; readonly api: string; readonly channel: string; readonly token: SecretRef }
  /** An incoming webhook of Slack: the channel is part of the URL, and Slack gives no thread. */
  | { readonly kind: 'slackWebhook'; readonly at: HookUrl }
  /** Plain JSON, or the template with its placeholders replaced. */
  | {
      readonly kind: 'webhook'
      readonly at: HookUrl
      readonly headers: readonly { readonly name: string; readonly value: SecretRef }[]
      readonly template?: string
    }

/** One receiver of notifications about a roll. */
export interface HookSpec {
  readonly name: string
  readonly target: HookTarget
  readonly on: readonly NoticeKind[]
  /** How long a hold lasts before the receiver is notified of it. */
  readonly holdForMs: number
  /** The time limit of one request. */
  readonly timeoutMs: number
}
