import { renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { logTail } from '../machine/log-tail.ts'
import { run } from '../machine/run.ts'
import { waitFor } from '../machine/wait-for.ts'
import { type Component, startComponent } from './component.ts'
import { logPath, type RackPlan } from './plan.ts'

const LIMIT_MS = 10_000
/** A master that is still busy with its last reload loses the signal for the next one. */
const SIGNAL_AGAIN_MS = 1_000

/** The path of the Runtime API's socket. */
export function haproxySocket(runtime: string, name: string): string {
  return join(runtime, `${name}.sock`)
}

/** A HAProxy within the bed, as a master with a worker, as distributions run it. */
export class Haproxy {
  readonly socket: string
  readonly #name: string
  readonly #configPath: string
  readonly #log: string
  #master: Component | undefined
  #worker = ''

  constructor(plan: RackPlan, name: string) {
    this.#name = name
    this.socket = haproxySocket(plan.runtime, name)
    this.#configPath = join(plan.disk, `${name}.cfg`)
    this.#log = logPath(plan.disk, name)
  }

  /** The master's process id, as processes within the bed see it. */
  get pid(): number {
    return this.#master?.pid ?? 0
  }

  async start(config?: string): Promise<void> {
    await this.#configure(config)
    const argv = ['haproxy', '-W', '-db', '-f', this.#configPath]
    this.#master = startComponent({ name: this.#name, argv, log: this.#log })
    await this.#newWorker('to answer')
  }

  /** Reloads as `systemctl reload haproxy` does; resolves when a worker with another process id answers. */
  async reload(config?: string): Promise<void> {
    await this.#configure(config)
    const again = setInterval(() => this.#master?.signal('SIGUSR2'), SIGNAL_AGAIN_MS)
    try {
      this.#master?.signal('SIGUSR2')
      await this.#newWorker('to have another worker')
    } finally {
      clearInterval(again)
    }
  }

  /** Ends master and worker without any politeness. */
  async kill(): Promise<void> {
    await this.#master?.kill()
  }

  signal(signal: NodeJS.Signals): void {
    this.#master?.signal(signal)
  }

  /** Takes another configuration over, unless HAProxy itself finds fault with it. */
  async #configure(config: string | undefined): Promise<void> {
    if (config === undefined) return
    const candidate = `${this.#configPath}.new`
    writeFileSync(candidate, config.replaceAll('@SOCKET@', this.socket))
    await run(['haproxy', '-c', '-f', candidate])
    renameSync(candidate, this.#configPath)
  }

  async #newWorker(what: string): Promise<void> {
    const before = this.#worker
    const wait = {
      what: `HAProxy ${this.#name} ${what}`,
      limitMs: LIMIT_MS,
      everyMs: 20,
      explain: () => logTail(this.#log),
    }
    this.#worker = await waitFor(wait, async () => {
      this.#master?.mustRun()
      const worker = await workerOf(this.socket)
      return worker === before ? undefined : worker
    })
  }
}

/** The process id that the answering worker gives, or undefined where none answers. */
function workerOf(socket: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const connection = connect(socket)
    connection.setEncoding('utf8').setTimeout(1_000, () => connection.destroy())
    connection.on('data', (chunk: string) => {
      text += chunk
    })
    connection.on('error', () => resolve(undefined))
    connection.on('close', () => resolve(/^Pid: (\d+)$/m.exec(text)?.[1]))
    connection.end('show info\n')
  })
}
