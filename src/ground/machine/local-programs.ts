import type { Clock } from '../ports/clock.ts'
import type { ProgramEnd, Programs } from '../ports/programs.ts'
import { runProcess } from './run-process.ts'

const OUTPUT_CHARS_MAX = 4_096

/** Programs of this machine. Both of their outputs are read, as the last words of a script may be on either. */
export class LocalPrograms implements Programs {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async run(argv: readonly string[], limitMs: number, signal: AbortSignal): Promise<ProgramEnd> {
    const [program = '', ...args] = argv
    let printed = ''
    const onOutput = (chunk: Buffer): void => {
      printed = (printed + chunk.toString('utf8')).slice(-OUTPUT_CHARS_MAX)
    }
    const request = { argv: [program, ...args] as const, limitMs, onOutput, clock: this.#clock }
    const end = await runProcess(request, signal)
    if (end.cause === 'notStarted') return { kind: 'notStarted', why: end.errorTail }
    const output = [printed.trim(), end.errorTail.trim()].filter((text) => text !== '').join('\n')
    if (end.cause === 'limit') return { kind: 'killed', why: `did not end within ${limitMs} ms`, output }
    if (end.cause === 'flood') return { kind: 'killed', why: 'printed without end', output }
    if (end.exitCode === undefined) return { kind: 'killed', why: `was killed by ${end.signal}`, output }
    return { kind: 'exited', exitCode: end.exitCode, output }
  }
}
