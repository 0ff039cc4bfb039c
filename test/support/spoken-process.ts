import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'

/** A child of the test that speaks in lines; it is gone when the test is. */
export class SpokenProcess {
  readonly lines: string[] = []
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #said = Promise.withResolvers<void>()
  errors = ''

  constructor(t: TestContext, command: readonly string[]) {
    const [file = '', ...args] = command
    this.#child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#ended = once(this.#child, 'close')
    this.#ended.then(
      () => this.#tell(),
      (error: unknown) => {
        this.errors += String(error)
        this.#tell()
      },
    )
    if (this.#child.stdout !== null) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        this.lines.push(line)
        this.#tell()
      })
    }
    this.#child.stderr?.on('data', (chunk) => {
      this.errors += chunk
    })
    t.after(() => this.end('SIGKILL'))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Waits until it has said that line. */
  async said(line: string, limitMs = 10_000): Promise<void> {
    const late = AbortSignal.timeout(limitMs)
    while (!this.lines.includes(line)) {
      if (late.aborted || this.#child.exitCode !== null || this.#child.signalCode !== null) {
        throw new Error(`did not say ${line}, but: ${this.lines.slice(-5).join(' | ')} ${this.errors}`)
      }
      const timeout = Promise.withResolvers<void>()
      late.addEventListener('abort', () => timeout.resolve(), { once: true })
      await Promise.race([this.#said.promise, timeout.promise])
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal)
    await this.#ended
  }

  #tell(): void {
    this.#said.resolve()
    this.#said = Promise.withResolvers()
  }
}
