import { setTimeout as pause } from 'node:timers/promises'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import type { Step } from '../../../src/roll/model/step.ts'
import { EventLog, type Seen } from '../roll-ground/event-log.ts'
import { story } from '../roll-ground/story.ts'
import { Program, type ProgramEnd, type Surroundings } from './program.ts'

const UNTIL_LIMIT_MS = 300_000

export type RollEnded = Extract<StampedEvent, { type: 'roll.ended' }>

/** `evenkeel roll …` as a process, with its events as they come. */
export class RollProcess {
  readonly #program: Program
  readonly #log = new EventLog()

  constructor(
    words: readonly string[],
    { program, enter, env }: Surroundings & { readonly env: Readonly<Record<string, string>> },
  ) {
    const argv = enter([...program, 'roll', ...words, '-o', 'jsonl', '--progress', 'none'])
    this.#program = new Program(argv, { env, onLine: (line) => this.#take(line) })
  }

  get events(): readonly StampedEvent[] {
    return this.#log.events
  }

  kill(signal: NodeJS.Signals): void {
    this.#program.kill(signal)
  }

  get pid(): number {
    return this.#program.pid
  }

  ended(): Promise<ProgramEnd> {
    return this.#program.ended()
  }

  /** The first event of that kind, seen already or to come; rejects when the roll ends without it. */
  async until(what: string, seen: Seen): Promise<StampedEvent> {
    const ended = this.#program.ended().then((end) => {
      throw new Error(`the roll ended (exit ${end.code}) before ${what}:\n${end.stderr}\n${story(this.events)}`)
    })
    const over = new AbortController()
    const late = pause(UNTIL_LIMIT_MS, undefined, { signal: over.signal }).then(() => {
      const last = this.events.filter((event) => event.type !== 'load.tick').slice(-12)
      throw new Error(
        `waited ${UNTIL_LIMIT_MS} ms for ${what}; last:\n${last.map((event) => JSON.stringify(event)).join('\n')}`,
      )
    })
    late.catch(() => undefined)
    try {
      return await Promise.race([this.#log.first(seen), ended, late])
    } finally {
      over.abort()
    }
  }

  untilStep(step: Step, node?: string): Promise<StampedEvent> {
    const seen: Seen = (event) =>
      event.type === 'step.started' && event.step === step && (node === undefined || event.node === node)
    return this.until(`step ${step}${node === undefined ? '' : ` of ${node}`}`, seen)
  }

  /** A hold by that reason, with these words in it. */
  untilHeld(code: string, words = ''): Promise<StampedEvent> {
    const seen: Seen = (event) =>
      (event.type === 'hold.started' || event.type === 'hold.changed') &&
      event.reasons.some((reason) => reason.code === code && reason.text.includes(words))
    return this.until(`a hold by ${code}`, seen)
  }

  /** From now on: it tells its load once a second. */
  async seconds(count: number): Promise<void> {
    const since = this.events.at(-1)?.seq ?? 0
    let left = count
    await this.until(`${count} s to pass`, ({ type, seq }) => type === 'load.tick' && seq > since && --left <= 0)
  }

  /** The writes of that kind that were made. */
  written(action: string): readonly StampedEvent[] {
    return this.events.filter((event) => event.type === 'write' && event.action === action && event.ok)
  }

  async untilEnd(): Promise<RollEnded> {
    const ended = await this.until('its end', ({ type }) => type === 'roll.ended')
    if (ended.type !== 'roll.ended') throw new Error(`${ended.type} is no end`)
    return ended
  }

  #take(line: string): void {
    if (!line.startsWith('{')) return
    this.#log.take(JSON.parse(line) as StampedEvent)
  }
}
