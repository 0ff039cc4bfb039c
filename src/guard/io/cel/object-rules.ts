import type { Environment, ParseResult } from '@marcbachmann/cel-js'
import { runWithin } from '../../../ground/machine/run-within.ts'
import { type MonoMs, monoMs } from '../../../ground/model/time.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { ObjectRules, RuleAnswer, RuleInput } from '../../holds/object-rules.ts'
import { celValues } from './cel-values.ts'
import { celErrorText, type RuleProgram, ruleEnvironment, ruleProgram } from './rule-program.ts'

const PROGRAMS_MAX = 256
/** Thousands of times what a usual expression takes, and longer than a container without processor time is held up. */
const TIME_LIMIT_MS = 250
/** The process does nothing else meanwhile, so an expression that used up its time does so once in a minute. */
const REST_MS = 60_000

/**
 * CEL by @marcbachmann/cel-js.
 *
 * Law: an expression that has no answer leaves its hold unknown.
 */
export class CelRules implements ObjectRules {
  readonly #clock: Pick<Clock, 'monoMs'>
  readonly #limitMs: number
  readonly #programs = new Map<string, RuleProgram>()
  /** Until when an expression is left alone. */
  readonly #resting = new Map<string, MonoMs>()
  #environment: Environment = ruleEnvironment()

  /** `limitMs`: of the real time of one evaluation. */
  constructor(clock: Pick<Clock, 'monoMs'>, limitMs: number = TIME_LIMIT_MS) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  fault(expression: string): string | undefined {
    const program = this.#program(expression)
    return 'fault' in program ? program.fault : undefined
  }

  evaluate(expression: string, { object, node }: Omit<RuleInput, 'of'>): RuleAnswer {
    if (this.#isResting(expression)) return { kind: 'unknown', why: this.#tooLong() }
    const program = this.#program(expression)
    if ('fault' in program) return { kind: 'unknown', why: `the expression cannot be used: ${program.fault}` }
    const values = celValues(object)
    if ('fault' in values) return { kind: 'unknown', why: values.fault }
    return this.#answer(expression, program.run, { object: values.value, node })
  }

  #answer(expression: string, run: ParseResult, variables: Record<string, unknown>): RuleAnswer {
    try {
      const end = runWithin(this.#limitMs, () => run(variables))
      if (end.kind === 'done') return answerOf(end.value)
      this.#forget()
      remember(this.#resting, expression, monoMs(this.#clock.monoMs() + REST_MS))
      return { kind: 'unknown', why: this.#tooLong() }
    } catch (error) {
      return { kind: 'unknown', why: celErrorText(error, expression) }
    }
  }

  #tooLong = (): string => `the expression was ended after ${this.#limitMs} ms`

  #isResting(expression: string): boolean {
    const until = this.#resting.get(expression)
    if (until === undefined) return false
    if (this.#clock.monoMs() < until) return true
    this.#resting.delete(expression)
    return false
  }

  #program(expression: string): RuleProgram {
    const known = this.#programs.get(expression)
    if (known !== undefined) return known
    const program = ruleProgram(this.#environment, expression)
    remember(this.#programs, expression, program)
    return program
  }

  /** The library keeps state in its programs and types, and it was ended in the middle of its work. */
  #forget(): void {
    this.#programs.clear()
    this.#environment = ruleEnvironment()
  }
}

/** The oldest one makes room. */
function remember<T>(kept: Map<string, T>, expression: string, value: T): void {
  const [oldest] = kept.keys()
  if (kept.size >= PROGRAMS_MAX && oldest !== undefined) kept.delete(oldest)
  kept.set(expression, value)
}

function answerOf(value: unknown): RuleAnswer {
  if (value === true) return { kind: 'true' }
  if (value === false) return { kind: 'false' }
  return { kind: 'unknown', why: `the result is ${nounOf(value)}, not true or false` }
}

function nounOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'a string'
  if (typeof value === 'bigint') return 'an int'
  if (typeof value === 'number') return 'a double'
  if (value instanceof Map) return 'a map'
  return Array.isArray(value) ? 'a list' : 'a value of another type'
}
