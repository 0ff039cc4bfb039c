import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '../../testbed/machine/wait-for.ts'

const HEAD = `defaults
  mode http
  timeout connect 1s
  timeout client 5s
  timeout server 5s
`

/** A real HAProxy that does nothing but answer at its socket. */
export class BenchHaproxy {
  readonly socket: string
  readonly #directory: string
  readonly #process: ChildProcess

  private constructor(directory: string, socket: string) {
    this.#directory = directory
    this.socket = socket
    this.#process = spawn('haproxy', ['-db', '-f', join(directory, 'haproxy.cfg')], { stdio: 'ignore' })
  }

  /** Backends of so many servers each; those of one place in all of them have one address. None is checked. */
  static async start(backends: readonly string[], servers: number): Promise<BenchHaproxy> {
    const directory = mkdtempSync(join(tmpdir(), 'evenkeel-poll-'))
    const socket = join(directory, 'admin.sock')
    const address = (i: number): string => `10.0.${Math.floor(i / 250)}.${(i % 250) + 1}:80`
    const lines = Array.from({ length: servers }, (_, i) => `  server n${i + 1} ${address(i)}`).join('\n')
    const sections = backends.map((name) => `backend ${name}\n${lines}\n`).join('')
    const global = `global\n  stats socket ${socket} mode 600 level admin\n`
    writeFileSync(join(directory, 'haproxy.cfg'), `${global}${HEAD}${sections}`)
    const haproxy = new BenchHaproxy(directory, socket)
    const isThere = (): true | undefined => (readdirSync(directory).includes('admin.sock') ? true : undefined)
    await waitFor({ what: 'the socket of HAProxy', limitMs: 10_000 }, async () => isThere())
    return haproxy
  }

  /** Processor time of all of its threads so far (`/proc/PID/task/TID/schedstat`, the first number, in ns). */
  spentMs(): number {
    const tasks = `/proc/${this.#process.pid}/task`
    const spent = readdirSync(tasks).map((task) =>
      Number(readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0]),
    )
    return spent.reduce((sum, ns) => sum + ns, 0) / 1e6
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await ended
    rmSync(this.#directory, { recursive: true })
  }
}
