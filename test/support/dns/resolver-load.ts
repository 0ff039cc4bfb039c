import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { encode } from 'dns-packet'
import { waitFor } from '../../../testbed/machine/wait-for.ts'

const LOST_AFTER_MS = 1_000
const LOSES_WITHIN_MS = 10_000

/** When queries were asked, in ms since 1970, and which of those got no answer within a second. */
interface Loaded {
  readonly asked: readonly number[]
  readonly lost: readonly number[]
}

/** A resolver load of a cluster's DNS: so many queries a second, each from a port of its own, from a network namespace. */
export class ResolverLoad {
  readonly #child: ChildProcess
  readonly #asked: number[] = []
  readonly #lost: number[] = []
  readonly #ended: Promise<unknown>

  constructor(network: string, address: string, perSecond: number) {
    const words = [process.execPath, '--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url)]
    const argv = [`--net=${network}`, '--', ...words, address, String(perSecond)]
    this.#child = spawn('nsenter', argv, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#ended = once(this.#child, 'close')
    const { stdout } = this.#child
    if (stdout !== null)
      createInterface({ input: stdout }).on('line', (line) => {
        const [at, answered] = line.split(' ')
        this.#asked.push(Number(at))
        if (answered === '0') this.#lost.push(Number(at))
      })
  }

  /** Until it loses some. */
  async losing(): Promise<void> {
    const what = 'queries are lost'
    await waitFor({ what, limitMs: LOSES_WITHIN_MS, everyMs: 100 }, async () => this.#lost.length > 0 || undefined)
  }

  /** What became of each query, once the last one is answered or lost. */
  async end(): Promise<Loaded> {
    this.#child.stdin?.end()
    await this.#ended
    return { asked: this.#asked, lost: this.#lost }
  }

  stop(): void {
    this.#child.kill('SIGKILL')
  }
}

/** The process that asks, until its input ends. */
function ask(address: string, perSecond: number): void {
  const bytes = encode({
    type: 'query',
    id: 1,
    flags: 0x100,
    questions: [{ name: 'kubernetes.default.svc.cluster.local', type: 'A', class: 'IN' }],
  })
  const one = (): void => {
    const at = Date.now()
    const socket = createSocket('udp4')
    const done = (answered: 0 | 1): void => {
      clearTimeout(timer)
      socket
        .removeAllListeners()
        .on('error', () => undefined)
        .close()
      process.stdout.write(`${at} ${answered}\n`)
    }
    const timer = setTimeout(() => done(0), LOST_AFTER_MS)
    socket.on('message', () => done(1)).on('error', () => done(0))
    socket.send(bytes, 53, address)
  }
  const begunAt = performance.now()
  let count = 0
  const ticking = setInterval(() => {
    for (const due = ((performance.now() - begunAt) / 1_000) * perSecond; count < due; count += 1) one()
  }, 10)
  process.stdin.resume().on('end', () => clearInterval(ticking))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ask(process.argv[2] ?? '', Number(process.argv[3]))
