import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { findCommand } from '../../testbed/machine/find-command.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'

/** Parts of a haproxy.cfg; each is told the directory in which its sockets may lie. */
interface HaproxyConfig {
  /** More lines of section global; an admin socket is there already. */
  readonly global?: (directory: string) => string
  readonly sections: (directory: string) => string
  /** `plain`: a reload starts a second process that ends the first one. */
  readonly kind?: 'master and worker' | 'plain'
  /** With a master, its own socket as `master.sock`. */
  readonly master?: boolean
}

const DEFAULTS = `defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
`

/** A real HAProxy on this machine's loopback, in a directory of its own; it is gone when the test is. */
export class LocalHaproxy {
  readonly directory: string
  /** Unix socket of level admin. */
  readonly socket: string
  readonly #mode: readonly string[]
  #processes: ChildProcess[] = []
  #said = ''
  #pid = ''

  private constructor(directory: string, config: HaproxyConfig) {
    this.directory = directory
    this.socket = join(directory, 'admin.sock')
    const masterSocket = config.master === true ? ['-S', join(directory, 'master.sock')] : []
    this.#mode = config.kind === 'master and worker' ? ['-W', '-db', ...masterSocket] : ['-db']
  }

  /** Resolves once its socket answers. */
  static async start(t: TestContext, config: HaproxyConfig): Promise<LocalHaproxy> {
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-lb-'))
    const haproxy = new LocalHaproxy(directory, config)
    t.after(() => haproxy.#discard())
    await haproxy.#configure(config)
    await haproxy.#launch([])
    return haproxy
  }

  /** The process id that answers at the socket. */
  get pid(): string {
    return this.#pid
  }

  /** The whole reply to one line of commands; by default of the admin socket. */
  command(line: string, socket = this.socket): Promise<string> {
    return replyOf(socket, line)
  }

  /** As `systemctl reload haproxy`, by default with the same file; resolves when another process answers. */
  async reload(config?: HaproxyConfig): Promise<void> {
    if (config !== undefined) await this.#configure(config)
    if (!this.#mode.includes('-W')) return this.#launch(['-sf', this.#pid])
    const signal = (): void => {
      for (const master of this.#processes) master.kill('SIGUSR2')
    }
    // A master that has only just started, or reloaded, loses the signal.
    const again = setInterval(signal, 1_000)
    try {
      signal()
      await this.#newProcess()
    } finally {
      clearInterval(again)
    }
  }

  /** As `systemctl restart haproxy`. */
  async restart(): Promise<void> {
    await this.stop()
    await this.#launch([])
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map(end))
    this.#processes = []
  }

  async #configure(config: HaproxyConfig): Promise<void> {
    const global = `global\n  stats socket ${this.socket} mode 600 level admin\n${config.global?.(this.directory) ?? ''}\n`
    await writeFile(join(this.directory, 'haproxy.cfg'), `${global}${DEFAULTS}${config.sections(this.directory)}`)
  }

  async #launch(more: readonly string[]): Promise<void> {
    const file = findCommand('haproxy') ?? 'haproxy'
    const child = spawn(file, [...this.#mode, '-f', join(this.directory, 'haproxy.cfg'), ...more], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#processes.push(child)
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#said = (this.#said + chunk).slice(-4_000)
    })
    await this.#newProcess()
  }

  async #newProcess(): Promise<void> {
    const wait = { what: 'HAProxy to answer', limitMs: 10_000, everyMs: 10, explain: () => this.#said }
    this.#pid = await waitFor(wait, async () => {
      const ended = this.#processes.at(-1)?.exitCode ?? null
      if (ended !== null) throw new Error(`HAProxy ended with ${ended}: ${this.#said}`)
      const info = await replyOf(this.socket, 'show info').catch(() => '')
      const pid = /^Pid: (\d+)$/m.exec(info)?.[1]
      return pid === this.#pid ? undefined : pid
    })
  }

  async #discard(): Promise<void> {
    await this.stop()
    await rm(this.directory, { recursive: true, force: true })
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

async function replyOf(path: string, line: string): Promise<string> {
  const socket = connect(path).setEncoding('utf8')
  socket.setTimeout(5_000, () => socket.destroy(new Error('no answer')))
  socket.write(`${line}\n`)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}
