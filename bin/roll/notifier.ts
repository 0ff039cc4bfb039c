import { systemRandom } from '../../src/ground/machine/system-random.ts'
import { present } from '../../src/ground/model/present.ts'
import { toIso } from '../../src/ground/model/time.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import type { Clock } from '../../src/ground/ports/clock.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import { HttpHooks } from '../../src/roll/io/post-hook.ts'
import { readSecret } from '../../src/roll/io/read-secret.ts'
import type { HookSpec, HookTarget, HookUrl } from '../../src/roll/model/notify-spec.ts'
import type { OpenJournal } from '../../src/roll/ports/journal.ts'
import { HookSender } from '../../src/roll/run/notify/hook-sender.ts'
import { Notifier } from '../../src/roll/run/notify/notifier.ts'

type Env = Readonly<Record<string, string | undefined>>

interface Place {
  readonly env: Env
  readonly journal: OpenJournal
  readonly clock: Clock
  readonly log: Log
}

/** A receiver whose secrets cannot be read is left out with a warning: a roll that goes on must not be delayed by it. */
export async function notifierOf(hooks: readonly HookSpec[], { env, journal, clock, log }: Place): Promise<Notifier> {
  const warn = (text: string): void => log.warn(`notification: ${text}`)
  const call = new HttpHooks(env)
  const senders = await Promise.all(
    hooks.map(async (hook) => {
      try {
        const thread = threadOf(hook, journal)
        const onThread = (ts: string): void => {
          const entry = { type: 'thread', at: toIso(clock.wallMs()), hook: hook.name, thread: ts }
          journal
            .append(entry)
            .catch(() => warn(`the thread of ${hook.name} is not kept: the journal cannot be written`))
        }
        const secrets = await secretsOf(hook.target, env)
        const sender = new HookSender({ hook, secrets, onThread, warn, call, clock, random: systemRandom, ...thread })
        return [{ sender, holdForMs: hook.holdForMs }]
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        warn(`${hook.name} gets none: ${error.message}`)
        return []
      }
    }),
  )
  return new Notifier({ senders: senders.flat(), clock })
}

/** Throws UserError for the first secret that cannot be read, before any change. */
export async function requireSecrets(hooks: readonly HookSpec[], env: Env): Promise<void> {
  for (const { name, target } of hooks) {
    try {
      await secretsOf(target, env)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      throw new UserError(`notify ${name}: ${error.message}`, {
        code: error.code,
        ...present({ fix: error.fix }),
        cause: error,
      })
    }
  }
}

/** What a receiver is asked with. UserError where a secret cannot be read. */
export async function secretsOf(target: HookTarget, env: Env) {
  if (target.kind === 'slack')
    return { url: target.api, headers: { authorization: `Bearer ${await readSecret(target.token, env)}` } }
  const url = await urlOf(target.at, env)
  if (target.kind === 'slackWebhook') return { url, headers: {} }
  const headers = target.headers.map(async ({ name, value }) => [name, await readSecret(value, env)] as const)
  return { url, headers: Object.fromEntries(await Promise.all(headers)) }
}

async function urlOf(at: HookUrl, env: Env): Promise<string> {
  if ('url' in at) return at.url
  const url = await readSecret(at, env)
  if (URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)) return url
  const place = 'env' in at ? `the environment variable ${at.env}` : at.file
  throw new UserError(`${place} holds no http or https URL`, { code: 'notify.secret', fix: 'put the whole URL there' })
}

/** The Slack thread that an earlier process of this run began. */
function threadOf({ name }: HookSpec, { entries }: OpenJournal): { readonly thread?: string } {
  const kept = entries.find(({ type, hook }) => type === 'thread' && hook === name)
  return typeof kept?.thread === 'string' ? { thread: kept.thread } : {}
}
