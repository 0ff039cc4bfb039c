import { spawnSync } from 'node:child_process'
import { Program, type Surroundings } from './program.ts'

/** What the judging prober says: the document of `evenkeel probe -o json`, as far as a test reads it. */
export interface Judgement {
  readonly failedRequests: number
  readonly sentRequests: number
  readonly skippedRequests: number
  readonly notMeasuredMs: number
  readonly windows: readonly unknown[]
  readonly failedAt1Hz?: number
}

type Counted = Pick<Judgement, 'sentRequests' | 'skippedRequests'>

/** A run in which the judge itself skipped more than 0.1 % proves nothing. */
export const isVoid = (judged: Counted): boolean =>
  judged.skippedRequests > (judged.sentRequests + judged.skippedRequests) / 1000

/**
 * What measures must not wait for a processor behind what is measured: that would only make its run void. In the
 * real-time class it never does (sched(7)); where that class is refused, the best nice value is left.
 */
const AT_ONCE = ['chrt', '--rr', '10']
const FIRST = spawnSync('chrt', [...AT_ONCE.slice(1), 'true']).status === 0 ? AT_ONCE : ['nice', '-n', '-15']

interface Judged {
  readonly url: string
  readonly ratePerSecond: number
  /** Share of the requests that go over kept connections: a half by default. */
  readonly keptShare?: number
}

/** The prober that judges: a process of its own beside the roll's, never killed, half of it over kept connections by default. */
export class Judge {
  readonly #program: Program

  constructor({ url, ratePerSecond, keptShare = 0.5 }: Judged, { program, enter }: Surroundings) {
    const load = ['--rate', String(ratePerSecond), '--kept-share', String(keptShare)]
    const probe = ['probe', url, ...load, '-o', 'json', '--progress', 'none']
    this.#program = new Program(enter([...FIRST, ...program, ...probe]))
  }

  get pid(): number {
    return this.#program.pid
  }

  kill(signal: NodeJS.Signals): void {
    this.#program.kill(signal)
  }

  async verdict(): Promise<Judgement> {
    this.#program.kill('SIGINT')
    const { stdout, stderr, code } = await this.#program.ended()
    if (stdout === '') throw new Error(`the judge said nothing (exit ${code}): ${stderr}`)
    return JSON.parse(stdout) as Judgement
  }
}
