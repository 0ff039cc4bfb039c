import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { createInterface } from 'node:readline'
import type { ControllerPlace } from './ingress-fleet.ts'

/** sysconf(_SC_CLK_TCK) of Linux. */
const TICK_MS = 10

interface Program {
  readonly path: string
  /** Of Node. */
  readonly flags: readonly string[]
  readonly loop: LoopName
}

/** Which of its loops it runs. */
type LoopName = 'ingress' | 'guard'

interface Queue {
  readonly passes: number
  readonly underWay: number
}

/** `evenkeel controller` with one of its loops, as a process of its own, with what it spends. */
export class MeasuredController {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #port: number
  readonly #loop: LoopName

  private constructor(child: ChildProcess, ended: Promise<unknown>, { port, loop }: { port: number; loop: LoopName }) {
    this.#child = child
    this.#ended = ended
    this.#port = port
    this.#loop = loop
  }

  static async start(program: Program, kubeconfig: string, place: ControllerPlace): Promise<MeasuredController> {
    const words = [
      'controller',
      `--${program.loop}`,
      '--namespace',
      'evenkeel',
      '--address',
      '127.0.0.1',
      '--status-port',
      '0',
      '--return-delay',
      '1s',
    ]
    const quiet = '--disable-warning=ExperimentalWarning'
    const argv = [process.execPath, quiet, ...program.flags, program.path, ...words, '--kubeconfig', kubeconfig]
    const [command = '', ...args] = place.enter(argv)
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'pipe'] })
    const ended = once(child, 'exit')
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const said: string[] = []
    ended.then(() => reject(new Error(`the controller ended: ${said.join('\n')}`)), reject)
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line)
      if (said.length > 20) said.shift()
      const ports = line.startsWith('{') ? (JSON.parse(line) as { readonly ports?: readonly number[] }).ports : []
      if (ports?.[0] !== undefined) resolve(ports[0])
    })
    return new MeasuredController(child, ended, { port: await place.reach(await promise), loop: program.loop })
  }

  /** Passes of its loop that have ended, and those under way. */
  async queue(): Promise<Queue> {
    const reply = await fetch(`http://127.0.0.1:${this.#port}/healthz`)
    const view = (await reply.json()) as Readonly<Record<LoopName, { readonly queue: Queue }>>
    return view[this.#loop].queue
  }

  /** Processor time since it began (proc_pid_stat(5)): fields 14 and 15, counted from behind the name. */
  async spentMs(): Promise<number> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  }

  async residentMb(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8')
    return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 976.5625)
  }

  async end(): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.#ended
  }
}
