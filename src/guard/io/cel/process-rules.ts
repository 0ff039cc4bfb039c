import type { ChildProcess } from 'node:child_process'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { ValueAtPath } from '../../../ground/net/json-path.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Timers } from '../../../ground/ports/timers.ts'
import type { ObjectRules, RuleAnswer, RuleInput } from '../../holds/object-rules.ts'
import { CelRules } from './object-rules.ts'

/** What the process is sent: an expression over an object of the API, or a path into the answer of a program. */
export type RuleOrder =
  | ({ readonly expression: string } & Pick<RuleInput, 'object' | 'node'>)
  | { readonly path: string; readonly json: unknown }

interface Done {
  readonly answer: unknown
  readonly tookMs: number
}

/** What it sends: once that it is there, then for each order. */
export type RuleSignal = 'there' | Done

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
 * Evaluates expressions and paths of users in another process, with little memory, one after the other.
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

  async evaluate(expression: string, { of, object, node }: RuleInput): Promise<RuleAnswer> {
    const done = await this.#inTurn(of, { expression, object, node })
    return typeof done === 'string' ? { kind: 'unknown', why: done } : (done.answer as RuleAnswer)
  }

  /** The value at a JSON path. */
  async valueAt(path: string, { of, json }: { readonly of: string; readonly json: unknown }): Promise<ValueAtPath> {
    const done = await this.#inTurn(of, { path, json })
    return typeof done === 'string' ? { fault: done } : (done.answer as ValueAtPath)
  }

  /** Ends the process. The next expression starts another one. */
  async close(): Promise<void> {
    const child = await this.#child
    child?.kill('SIGKILL')
  }

  #inTurn(of: string, order: RuleOrder): Promise<Done | string> {
    const turn = this.#last.then(() => this.#done(of, order))
    this.#last = turn
    return turn
  }

  /** Or why there is no answer. */
  async #done(of: string, order: RuleOrder): Promise<Done | string> {
    const spent = this.#spentBy(of)
    if (spent.ms >= SPENT_MS_MAX)
      return `the expressions of ${of} have used up their ${SPENT_MS_MAX / 1_000} s of this minute`
    this.#child ??= this.#started()
    const child = await this.#child
    const { timers } = this.#parts
    const done = child?.connected
      ? await nextSignal(child, timers, () => child.send(order, (error) => error && end(child)))
      : undefined
    if (done !== undefined && done !== 'there') {
      spent.ms += done.tookMs
      return done
    }
    this.#child = undefined
    if (child === undefined) return 'no process could be started for the expression'
    spent.ms += SPENT_MS_MAX
    return 'the expression took too much memory or time, and was ended'
  }

  #spentBy(namespace: string): Spent {
    const now = this.#parts.clock.monoMs()
    for (const [name, { since }] of this.#spent) if (now - since >= MINUTE_MS) this.#spent.delete(name)
    const spent = this.#spent.get(namespace) ?? { since: now, ms: 0 }
    this.#spent.set(namespace, spent)
    return spent
  }

  async #started(): Promise<ChildProcess | undefined> {
    const child = this.#parts.start()
    // It keeps nobody alive.
    child.unref()
    child.channel?.unref()
    return (await nextSignal(child, this.#parts.timers, () => undefined)) === 'there' ? child : undefined
  }
}

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
