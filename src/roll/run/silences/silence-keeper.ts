import { Backoff } from '../../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../../ground/loop/deadline.ts'
import { Wakeup } from '../../../ground/loop/wakeup.ts'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { present } from '../../../ground/model/present.ts'
import { toIso, wallMs } from '../../../ground/model/time.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Random } from '../../../ground/ports/random.ts'
import type { SilenceState, SilenceStates } from '../../decide/silences/silence-states.ts'
import type { SilenceWant } from '../../decide/silences/silences-due.ts'
import type { SecretHeader } from '../../model/gate-spec.ts'
import type { SecretRef } from '../../model/notify-spec.ts'
import { isFor } from '../../model/request-scope.ts'
import type { SilenceMatcher, SilenceSpec } from '../../model/silence-spec.ts'
import type { Silencer, SilenceText } from '../../ports/silencer.ts'
import type { EventLog } from '../event-log.ts'
import { filledArguments } from '../filled-arguments.ts'

interface SilenceKeeperParts {
  readonly silences: readonly SilenceSpec[]
  readonly silencer: Silencer
  /** Rejects with UserError where it cannot be read. */
  readonly secret: (ref: SecretRef) => Promise<string>
  /** Run, and why: what people read in the silence. */
  readonly comment: string
  /** `node name` → id, as an earlier process of the run left it. */
  readonly before: Readonly<Record<string, string>>
  /** An earlier process of the run may have ended before it knew what its request for a silence had led to. */
  readonly isResumed: boolean
  readonly clock: Clock
  readonly random: Random
  readonly events: Pick<EventLog, 'note' | 'emit'>
  /** More is known. It must only take note. */
  readonly onNews: () => void
}

interface Kept {
  readonly silence: SilenceSpec
  readonly want: SilenceWant
  readonly backoff: Backoff
  id: string | undefined
  /** A request for it had no answer: Alertmanager may have made a silence whose id is not known. */
  mayHaveMore: boolean
  dueAt: number
  state: SilenceState | undefined
  reported: string | undefined
}

interface Failure {
  readonly message: string
  readonly retryAfterMs?: number
  /** Alertmanager said so, or it was not asked at all. */
  readonly isAnswer: boolean
}

/** After these no silence has been made. */
const ANSWERS: readonly string[] = ['SILENCE_REFUSED', 'SILENCE_GONE']

/** A renewal that fails twice is still in time. */
const RENEWALS = 3
const BACKOFF = { baseMs: 1_000, capMs: 30_000 }

/** Makes silences for the node or machine in work, renews them, and ends them once it is back. A roll that dies lets them run out. */
export class SilenceKeeper {
  readonly #parts: SilenceKeeperParts
  readonly #wakeup: Wakeup
  #want: SilenceWant | undefined
  #kept: Kept[] = []
  #left: Kept[] = []
  /** What is asked now: the end of a roll waits for it, since it may make a silence. */
  #asking: Promise<unknown> = Promise.resolve()

  constructor(parts: SilenceKeeperParts) {
    this.#parts = parts
    this.#wakeup = new Wakeup(parts.clock)
  }

  states(): SilenceStates {
    const states = this.#kept.flatMap(({ silence, state }) =>
      state === undefined ? [] : [[silence.name, state] as const],
    )
    return { ...(this.#want === undefined ? {} : { node: this.#want.node }), states: Object.fromEntries(states) }
  }

  /** After each pass: the node or machine whose alerts are to be silent. */
  want(want: SilenceWant | undefined): void {
    if (want?.node === this.#want?.node) return
    this.#want = want
    this.#left.push(...this.#kept)
    const silences = this.#parts.silences.filter((silence) => want !== undefined && isFor(silence, want.scope))
    this.#kept = want === undefined ? [] : silences.map((silence) => this.#begun(silence, want))
    this.#wakeup.wake()
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#asked(this.#endLeft(signal))
      const now = this.#parts.clock.monoMs()
      const due = this.#kept.filter(({ dueAt }) => dueAt <= now)
      await this.#asked(Promise.all(due.map((kept) => this.#renew(kept, signal))))
      if (this.#left.length > 0) continue
      const next = Math.min(...this.#kept.map(({ dueAt }) => dueAt))
      const inMs = Number.isFinite(next) ? next - this.#parts.clock.monoMs() : undefined
      await this.#wakeup.next(inMs, signal)
    }
  }

  /** The roll is over: what still stands is ended, so that people hear of a node or machine that stays out. */
  async close(signal: AbortSignal): Promise<void> {
    this.want(undefined)
    // What is asked at this moment may be followed by more before the run knows that it is over.
    for (;;) {
      const asking = this.#asking
      await asking
      if (asking !== this.#asking) continue
      if (this.#left.length === 0) return
      await this.#endLeft(signal)
    }
  }

  #asked<T>(work: Promise<T>): Promise<T> {
    this.#asking = work.catch(() => undefined)
    return work
  }

  #begun(silence: SilenceSpec, want: SilenceWant): Kept {
    const id = this.#parts.before[`${want.node} ${silence.name}`]
    const backoff = new Backoff(BACKOFF, this.#parts.random)
    return {
      silence,
      want,
      backoff,
      id,
      mayHaveMore: this.#parts.isResumed,
      dueAt: 0,
      state: undefined,
      reported: undefined,
    }
  }

  async #renew(kept: Kept, signal: AbortSignal): Promise<void> {
    const { clock, events, onNews } = this.#parts
    const { silence, want, backoff } = kept
    const failure = await this.#tried(kept, (limited) => this.#put(kept, limited), signal)
    if (failure === undefined) {
      kept.state = { kind: 'standing' }
      backoff.reset()
      kept.dueAt = clock.monoMs() + silence.durationMs / RENEWALS
    } else {
      kept.mayHaveMore ||= !failure.isAnswer
      kept.state = { kind: 'failed', text: failure.message }
      kept.dueAt = clock.monoMs() + backoff.nextMs(failure.retryAfterMs)
      const text = `alerts of ${want.node} are not silenced in ${silence.name}: ${failure.message}`
      if (kept.reported !== text) events.emit({ type: 'warning', node: want.node, text })
      kept.reported = text
    }
    onNews()
  }

  async #put(kept: Kept, signal: AbortSignal): Promise<void> {
    const { silence, want } = kept
    const { clock, silencer, events } = this.#parts
    const wall = clock.wallMs()
    const body = {
      ...(await this.#text(kept)),
      startsAt: toIso(wall),
      endsAt: toIso(wallMs(wall + silence.durationMs)),
    }
    const before = kept.id
    kept.id = await silencer.put({ ...body, ...present({ id: before }) }, signal).catch((error: unknown) => {
      if (!(error instanceof WorldError) || error.code !== 'SILENCE_GONE') throw error
      return silencer.put(body, signal)
    })
    if (kept.id !== before) events.note('silence', { node: want.node, silence: silence.name, id: kept.id })
  }

  async #endLeft(signal: AbortSignal): Promise<void> {
    for (let kept = this.#left.shift(); kept !== undefined; kept = this.#left.shift()) {
      const { id, mayHaveMore, silence, want } = kept
      if (id === undefined && !mayHaveMore) continue
      const failure = await this.#tried(kept, (limited) => this.#expire(kept, limited), signal)
      if (failure === undefined) {
        this.#parts.events.note('silence', { node: want.node, silence: silence.name })
        continue
      }
      const which = id === undefined ? 'a silence that may have been made for' : 'the silence of'
      const text = `${which} ${want.node} in ${silence.name} was not ended, and ends by itself: ${failure.message}`
      this.#parts.events.emit({ type: 'warning', node: want.node, text })
    }
  }

  async #expire(kept: Kept, signal: AbortSignal): Promise<void> {
    const { silencer } = this.#parts
    const text = await this.#text(kept)
    const end = (id: string) => silencer.expire({ url: text.url, headers: text.headers, id }, signal)
    if (kept.id !== undefined) await end(kept.id)
    if (!kept.mayHaveMore) return
    for (const id of await silencer.find(text, signal)) await end(id)
  }

  async #text({ silence, want }: Kept): Promise<SilenceText> {
    return {
      url: silence.url,
      headers: await this.#headers(silence.headers),
      matchers: silence.matchers.map((matcher) => filled(matcher, want)),
      comment: `${want.node}: ${this.#parts.comment}`,
    }
  }

  /** Why it could not be done. */
  async #tried(
    { silence: { timeoutMs: limitMs } }: Kept,
    work: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    try {
      await withDeadline({ clock: this.#parts.clock, limitMs, signal, what: 'Alertmanager' }, work)
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      const isAnswer = error instanceof UserError || (error instanceof WorldError && ANSWERS.includes(error.code))
      if (error instanceof DeadlineError || error instanceof UserError)
        return { message: escapeForeign(error.message), isAnswer }
      if (!(error instanceof WorldError)) throw error
      const { retryAfterMs } = error
      return {
        message: escapeForeign(error.message),
        isAnswer,
        ...present({ retryAfterMs }),
      }
    }
  }

  async #headers(named: readonly SecretHeader[]): Promise<Readonly<Record<string, string>>> {
    const read = named.map(async ({ name, value }) => [name, await this.#parts.secret(value)] as const)
    return Object.fromEntries(await Promise.all(read))
  }
}

/**
 * Law: a silence has the matchers of the file, filled in for one node, and none besides.
 */
function filled({ name, value, regex }: SilenceMatcher, { node, address }: SilenceWant) {
  // Checked as they are, then quoted: a dot of a name is no wildcard.
  filledArguments([value], { node, ...present({ address }) })
  const quoted = (text: string): string => (regex ? text.replaceAll(/[.+*?()|[\]{}^$\\]/g, '\\$&') : text)
  const text = value.replaceAll('{node}', () => quoted(node)).replaceAll('{address}', () => quoted(address ?? ''))
  return { name, value: text, isRegex: regex }
}

/** Ids of silences that earlier processes of a run made and did not end, from its journal. */
export function silencesBefore(entries: readonly { readonly type: string; readonly [field: string]: unknown }[]) {
  const ids = new Map<string, string>()
  for (const { type, node, silence, id } of entries) {
    if (type !== 'silence') continue
    if (typeof id === 'string') ids.set(`${String(node)} ${String(silence)}`, id)
    else ids.delete(`${String(node)} ${String(silence)}`)
  }
  return Object.fromEntries(ids)
}
