import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { shippedProgram } from '../shipped-program.ts'

const PROGRAM = shippedProgram('evenkeel')

/** `evenkeel controller` as a process of its own, once it answers. */
export class ControllerProcess {
  readonly said: string[]
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #port: number

  private constructor(parts: { child: ChildProcess; ended: Promise<unknown>; port: number; said: string[] }) {
    this.#child = parts.child
    this.#ended = parts.ended
    this.#port = parts.port
    this.said = parts.said
  }

  /** `enter`: the command that runs it elsewhere; its pages are then there, too. */
  static async start(
    words: readonly string[],
    enter: (argv: readonly string[]) => readonly string[] = (argv) => argv,
  ): Promise<ControllerProcess> {
    const args = ['--disable-warning=ExperimentalWarning', PROGRAM, 'controller', '--address', '127.0.0.1', ...words]
    const [command = '', ...rest] = enter([process.execPath, ...args])
    const child = spawn(command, rest, { stdio: ['ignore', 'inherit', 'pipe'] })
    const ended = once(child, 'exit')
    const said: string[] = []
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    ended.then(() => reject(new Error(`the controller ended: ${said.join('\n')}`)), reject)
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line)
      const ports = line.startsWith('{') ? (JSON.parse(line) as { readonly ports?: readonly number[] }).ports : []
      if (ports?.[0] !== undefined) resolve(ports[0])
    })
    return new ControllerProcess({ child, ended, said, port: await promise })
  }

  async page(path: string): Promise<string> {
    const reply = await fetch(`http://127.0.0.1:${this.#port}${path}`)
    return `${reply.status} ${await reply.text()}`
  }

  /** What `/healthz` says. */
  async health(): Promise<Health> {
    return JSON.parse((await this.page('/healthz')).slice(4)) as Health
  }

  /** Stopped in its tracks, or going on. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Its exit code; null where the signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal)
    return this.ended()
  }

  async ended(): Promise<number | null> {
    await this.#ended
    return this.#child.exitCode
  }
}

interface Health {
  readonly identity: string
  readonly leader: { readonly state: string; readonly holder: string }
  readonly brake: {
    readonly decision: string
    readonly reasons: readonly { readonly code: string; readonly text: string; readonly node?: string }[]
  }
  readonly dns?: {
    readonly state: string
    readonly checks: number
    readonly health: { readonly status: string; readonly reason: string } | null
    readonly repair: unknown
  }
  readonly trouble: readonly string[]
}
