import type { ChildProcess } from 'node:child_process'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Timers } from '../../../ground/ports/timers.ts'
import type { ObjectRules, RuleAnswer, RuleInput } from '../../holds/object-rules.ts'
import { CelRules } from './object-rules.ts'

/** What the process is sent. */
export interface RuleOrder extends Pick<RuleInput, 'object' | 'node'> {
  readonly expression: string
}

/** What it sends: once that it is there, then for each order. */
export type RuleSignal = 'there' | { readonly answer: RuleAnswer; readonly tookMs: number }

interface RulesParts {
  readonly clock: Pick<Clock, 'monoMs'>
  readonly timers: Timers
  /** Starts that process (bin/rule-process), with a channel. */
  readonly start: () => ChildProcess
}

interface Spent {
  readonly since: MonoMs
  ms: number
}

/** The process ends an expression after 250 ms by itself. One that collects garbage all the time does not come to it. */
const SILENT_MS = 5_000
const MINUTE_MS = 60_000
/** A usual expression takes a tenth of a millisecond. */
const SPENT_MS_MAX = 5_000

/**
 * Evaluates expressions of users in another process, with little memory, one after the other.
 *
 * Law: no expression holds up or ends the process that asks, and none takes the time of another namespace.
 */
export class ProcessRules implements ObjectRules {
  readonly #parts: RulesParts
  /** Only reads expressions. */
  readonly #here: CelRules
  /** By namespace. */
  readonly #spent = new Map<string, Spent>()
  #child: Promise<ChildProcess | undefined> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: RulesParts) {
    this.#parts = parts
    this.#here = new CelRules(parts.clock)
  }

  fault(expression: string): string | undefined {
    return this.#here.fault(expression)
  }

  evaluate(expression: string, input: RuleInput): Promise<RuleAnswer> {
    const turn = this.#last.then(() => this.#inTurn(expression, input))
    this.#last = turn
    return turn
  }

  /** Ends the process. The next expression starts another one. */
  async close(): Promise<void> {
    const child = await this.#child
    child?.kill('SIGKILL')
  }

  async #inTurn(expression: string, { of, object, node }: RuleInput): Promise<RuleAnswer> {
    const spent = this.#spentBy(of)
    if (spent.ms >= SPENT_MS_MAX)
      return unknown(`the expressions of ${of} have used up their ${SPENT_MS_MAX / 1_000} s of this minute`)
    const signal = await this.#asked({ expression, object, node })
    spent.ms += signal === undefined ? SPENT_MS_MAX : signal.tookMs
    return signal?.answer ?? unknown('the expression took too much memory or time, and was ended')
  }

  #spentBy(namespace: string): Spent {
    const now = this.#parts.clock.monoMs()
    for (const [name, { since }] of this.#spent) if (now - since >= MINUTE_MS) this.#spent.delete(name)
    const spent = this.#spent.get(namespace) ?? { since: now, ms: 0 }
    this.#spent.set(namespace, spent)
    return spent
  }

  /** Undefined: the process ended over it. */
  async #asked(order: RuleOrder): Promise<Exclude<RuleSignal, 'there'> | undefined> {
    this.#child ??= this.#started()
    const child = await this.#child
    if (child === undefined || !child.connected) {
      this.#child = undefined
      return { answer: unknown('no process could be started for the expression'), tookMs: 0 }
    }
    const signal = await nextSignal(child, this.#parts.timers, () => child.send(order, (error) => error && end(child)))
    if (signal === undefined) this.#child = undefined
    return signal === 'there' ? undefined : signal
  }

  async #started(): Promise<ChildProcess | undefined> {
    const child = this.#parts.start()
    // It keeps nobody alive.
    child.unref()
    child.channel?.unref()
    return (await nextSignal(child, this.#parts.timers, () => undefined)) === 'there' ? child : undefined
  }
}

const unknown = (why: string): RuleAnswer => ({ kind: 'unknown', why })

const end = (child: ChildProcess): void => void child.kill('SIGKILL')

/** The next thing that the process says. Undefined: it ended, or was silent for so long that it was ended. */
function nextSignal(child: ChildProcess, timers: Timers, begin: () => unknown): Promise<RuleSignal | undefined> {
  const { promise, resolve } = Promise.withResolvers<RuleSignal | undefined>()
  const callOff = timers.later(SILENT_MS, () => end(child))
  const over = (signal?: RuleSignal): void => {
    callOff()
    child.off('message', onMessage)
    child.off('exit', onEnd)
    child.off('error', onEnd)
    resolve(signal)
  }
  // Our own program says nothing else.
  const onMessage = (message: unknown): void => over(message as RuleSignal)
  const onEnd = (): void => over()
  child.on('message', onMessage)
  child.on('exit', onEnd)
  child.on('error', onEnd)
  begin()
  return promise
}
