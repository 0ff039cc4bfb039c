import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface ProgramEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Each line of standard output, as it comes. */
  readonly onLine?: (line: string) => void
}

/** Which evenkeel is run, and where: `enter` puts a command into the namespaces of a bed. */
export interface Surroundings {
  readonly program: readonly string[]
  readonly enter: (argv: readonly string[]) => readonly string[]
}

const root = new URL('../../..', import.meta.url).pathname

/** A real process of the real command line. It is stopped by its pid, and by nothing else. */
export class Program {
  readonly #child: ChildProcess
  readonly #ended: Promise<ProgramEnd>
  #stdout = ''
  #stderr = ''

  constructor(argv: readonly string[], options: ProgramOptions = {}) {
    // A test run that is killed takes its processes along: an orphaned prober would go on taking the machine's time.
    const [file = '', ...words] = ['setpriv', '--pdeathsig', 'KILL', '--', ...argv]
    const env = { ...process.env, CI: '', ...options.env }
    const child = spawn(file, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => {
      this.#stdout += `${line}\n`
      options.onLine?.(line)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    const read = once(lines, 'close')
    this.#ended = once(child, 'close').then(async ([code, signal]) => {
      await read
      return { code, signal, stdout: this.#stdout, stderr: this.#stderr } as ProgramEnd
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get stderr(): string {
    return this.#stderr
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  ended(): Promise<ProgramEnd> {
    return this.#ended
  }
}
