import { Backoff } from '../../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../../ground/loop/deadline.ts'
import { formatDuration } from '../../../ground/model/duration.ts'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { OVER } from '../../../ground/model/over.ts'
import { present } from '../../../ground/model/present.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Random } from '../../../ground/ports/random.ts'
import { messageBody } from '../../decide/notify/message-body.ts'
import type { Notice } from '../../decide/notify/notice.ts'
import type { HookSpec } from '../../model/notify-spec.ts'
import type { HookAnswer, HookCall } from '../../ports/hook-call.ts'
import { Outbox } from './outbox.ts'

interface HookSenderParts {
  readonly hook: HookSpec
  /** Read from where the file says. */
  readonly secrets: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  /** Slack's name of the first message of this run, where an earlier process sent it. */
  readonly thread?: string
  readonly onThread: (thread: string) => void
  readonly warn: (text: string) => void
  readonly call: HookCall
  readonly clock: Clock
  readonly random: Random
}

const TRIES_MAX = 5
const BACKOFF = { baseMs: 1_000, capMs: 30_000 }

/** Sends notices to one receiver, one after the other, beside the roll. */
export class HookSender {
  readonly #parts: HookSenderParts
  readonly #outbox: Outbox<Notice>
  #thread: string | undefined

  constructor(parts: HookSenderParts) {
    this.#parts = parts
    this.#outbox = new Outbox({ clock: parts.clock, send: (notice, signal) => this.#deliver(notice, signal) })
    this.#thread = parts.thread
  }

  send(notice: Notice): void {
    if (this.#parts.hook.on.includes(notice.kind)) this.#outbox.put(notice)
  }

  /** Waits until all is sent, for no longer than the limit; what is not sent by then is left out with a warning. */
  close(limitMs: number): Promise<void> {
    return this.#outbox.close(limitMs)
  }

  async #deliver(notice: Notice, signal: AbortSignal): Promise<void> {
    const fault = await this.#try(notice, signal)
    if (fault !== undefined) this.#parts.warn(`"${notice.title}" did not reach ${this.#parts.hook.name}: ${fault}`)
  }

  /** Why it could not be sent. */
  async #try(notice: Notice, signal: AbortSignal): Promise<string | undefined> {
    const backoff = new Backoff(BACKOFF, this.#parts.random)
    for (let tries = 1; ; tries++) {
      if (signal.aborted) return 'the roll is over'
      const failure = await this.#once(notice, signal)
      if (failure === undefined) return undefined
      if (failure.isFinal || tries === TRIES_MAX)
        return tries === 1 ? failure.text : `${failure.text}; tried ${tries} times`
      const isOver = await this.#parts.clock.sleep(backoff.nextMs(failure.retryAfterMs), signal).then(
        () => false,
        () => true,
      )
      if (isOver) return failure.text
    }
  }

  async #once(notice: Notice, signal: AbortSignal): Promise<Failure | undefined> {
    const { hook, secrets, call, clock } = this.#parts
    const limits = { clock, limitMs: hook.timeoutMs, signal, what: 'the receiver' }
    const request = { ...secrets, body: messageBody(hook.target, notice, this.#thread) }
    try {
      const answer = await withDeadline(limits, (ofCall) => call.post(request, ofCall))
      return hook.target.kind === 'slack' ? this.#judgeSlack(answer) : failureOf(answer)
    } catch (error) {
      if (error instanceof DeadlineError)
        return { text: `no answer within ${formatDuration(hook.timeoutMs)}`, isFinal: false }
      if (error instanceof WorldError) return { text: escapeForeign(error.message), isFinal: error.retry === 'never' }
      if (error === OVER) return { text: 'the roll is over', isFinal: true }
      throw error
    }
  }

  /** Slack answers 200 to what it refuses, and says so in the body. */
  #judgeSlack(answer: HookAnswer): Failure | undefined {
    const failure = failureOf(answer)
    if (failure !== undefined) return failure
    const { ok, ts, error } = slackAnswer(answer.body)
    if (ok !== true) {
      const said = typeof error === 'string' ? error : 'an answer that is not of Slack'
      return { text: `Slack refused it: ${escapeForeign(said, 100)}`, isFinal: said !== 'ratelimited' }
    }
    if (this.#thread === undefined && typeof ts === 'string' && /^[0-9.]{1,40}$/.test(ts)) {
      this.#thread = ts
      this.#parts.onThread(ts)
    }
    return undefined
  }
}

interface Failure {
  readonly text: string
  /** Asking again cannot help. */
  readonly isFinal: boolean
  readonly retryAfterMs?: number
}

function failureOf({ status, retryAfterMs }: HookAnswer): Failure | undefined {
  if (status >= 200 && status <= 299) return undefined
  const isFinal = status < 500 && status !== 408 && status !== 429
  return { text: `it answered HTTP ${status}`, isFinal, ...present({ retryAfterMs }) }
}

function slackAnswer(body: string): { readonly ok?: unknown; readonly ts?: unknown; readonly error?: unknown } {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}
